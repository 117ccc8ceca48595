public import Observation

extension _ModelBacking {
  /// Notifies the observation system that the property of a slot is being read.
  @inlinable
  public func access<M: PersistentModel>(_ model: M, _ slot: Int) {
    guard let object = borrowed else { return }
    object._withUnsafeGuaranteedRef { object in
      if object.observers != nil || ObservationProbe.isTracking() {
        object.noteAccess(model, slot)
      }
    }
  }

  /// Notifies observers that the property of a slot changes while `mutation` runs.
  func withMutation<M: PersistentModel>(_ model: M, _ slot: Int, _ mutation: () -> Void) {
    guard let object, object.observers != nil else { return mutation() }
    object.noteMutation(model, slot, mutation)
  }

  /// Notifies the observation system that a property is being read.
  @inlinable
  public func access<M: PersistentModel, V>(
    _ model: M, keyPath: @autoclosure () -> KeyPath<M, V>
  ) {
    guard let object = borrowed else { return }
    object._withUnsafeGuaranteedRef { object in
      if object.observers != nil || ObservationProbe.isTracking() {
        object.noteAccess(model, keyPath())
      }
    }
  }

  /// Notifies observers that a property changes while `mutation` runs.
  @inlinable
  public func withMutation<M: PersistentModel, V, R>(
    _ model: M, keyPath: @autoclosure () -> KeyPath<M, V>, _ mutation: () throws -> R
  ) rethrows -> R {
    guard let observers = object?.observers else { return try mutation() }
    return try observers.registrar.withMutation(of: model, keyPath: keyPath(), mutation)
  }
}
