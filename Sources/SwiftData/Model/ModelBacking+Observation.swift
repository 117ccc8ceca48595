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
  @inlinable
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

extension _ModelStorage {
  /// Creates the registrar at the first observed access.
  @usableFromInline
  func noteAccess<M: PersistentModel, V>(_ model: M, _ keyPath: KeyPath<M, V>) {
    if ObservationProbe.isSuspended { return }
    let observers = observers ?? ObservationProbe.takeObservers()
    self.observers = observers
    observers.registrar.access(model, keyPath: keyPath)
  }

  /// The same for a slot of `M`. Accessors pass no key path, because each would be compiled into
  /// the user's module; the descriptor has them.
  @usableFromInline
  func noteAccess<M: PersistentModel>(_ model: M, _ slot: Int) {
    let keyPath = M._$descriptor.properties[slot].keyPath
    func note<V>(_ type: V.Type) {
      if let keyPath = keyPath as? KeyPath<M, V> { noteAccess(model, keyPath) }
    }
    _openExistential(Swift.type(of: keyPath).valueType, do: note)
  }

  /// Notifies observers of a slot of `M`.
  @usableFromInline
  func noteMutation<M: PersistentModel>(_ model: M, _ slot: Int, _ mutation: () -> Void) {
    let keyPath = M._$descriptor.properties[slot].keyPath
    func note<V>(_ type: V.Type) {
      guard let observers, let keyPath = keyPath as? KeyPath<M, V> else { return mutation() }
      observers.registrar.withMutation(of: model, keyPath: keyPath, mutation)
    }
    _openExistential(Swift.type(of: keyPath).valueType, do: note)
  }

  /// A registrar in an object: testing whether there is one must not cost a call.
  @usableFromInline
  final class Observers {
    @usableFromInline let registrar = ObservationRegistrar()
  }
}
