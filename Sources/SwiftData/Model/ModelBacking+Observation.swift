public import Observation

extension _ModelBacking {
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

extension _ModelStorage {
  /// Makes the registrar on the first observed access.
  @usableFromInline
  func noteAccess<M: PersistentModel, V>(_ model: M, _ keyPath: KeyPath<M, V>) {
    let observers = observers ?? ObservationProbe.takeObservers()
    self.observers = observers
    observers.registrar.access(model, keyPath: keyPath)
  }

  /// A registrar behind a reference: asking whether there is one must not cost a call.
  @usableFromInline
  final class Observers {
    @usableFromInline let registrar = ObservationRegistrar()
  }
}
