public import Observation

extension _ModelBacking {
  /// Tells observers that a property is being read.
  @inlinable
  public func access<M: PersistentModel, V>(
    _ model: M, keyPath: @autoclosure () -> KeyPath<M, V>
  ) {
    guard let object else { return }
    if let registrar = object.registrar {
      registrar.access(model, keyPath: keyPath())
    } else if ObservationProbe.isTracking() {
      let registrar = ObservationRegistrar()
      object.registrar = registrar
      registrar.access(model, keyPath: keyPath())
    }
  }

  /// Tells observers that a property changes while `mutation` runs.
  @inlinable
  public func withMutation<M: PersistentModel, V, R>(
    _ model: M, keyPath: @autoclosure () -> KeyPath<M, V>, _ mutation: () throws -> R
  ) rethrows -> R {
    guard let registrar = object?.registrar else { return try mutation() }
    return try registrar.withMutation(of: model, keyPath: keyPath(), mutation)
  }
}
