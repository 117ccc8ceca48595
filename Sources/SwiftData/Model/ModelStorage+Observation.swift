public import Observation

/// The observers of a model. Accessors that `@Model` generates note reads and changes
/// (`ModelBacking+Observation`). The context notifies observers of the changes that it makes: new
/// rows, other sides of relationships, rollback and undo.
extension _ModelStorage {
  // MARK: Reads and changes of accessors

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
  func noteMutation<M: PersistentModel>(_ model: M, _ slot: Int, _ mutation: () -> Void) {
    let keyPath = M._$descriptor.properties[slot].keyPath
    func note<V>(_ type: V.Type) {
      guard let observers, let keyPath = keyPath as? KeyPath<M, V> else { return mutation() }
      observers.registrar.withMutation(of: model, keyPath: keyPath, mutation)
    }
    _openExistential(Swift.type(of: keyPath).valueType, do: note)
  }

  // MARK: Changes of the context

  /// Runs `mutation` and notifies the observers of one property, if there are any.
  func notifyingObservers(of slot: Int, _ mutation: () -> Void) {
    guard let registrar = observers?.registrar, let model = persistentModel else {
      return mutation()
    }
    let observed = ObservedProperty(
      registrar: registrar, keyPath: descriptor.properties[slot].keyPath)
    observed.willSet(model)
    mutation()
    observed.didSet(model)
  }

  /// Runs `mutation` and notifies observers of every property.
  func notifyingObserversOfAll(_ mutation: () -> Void) {
    notifyingObservers(of: .all, mutation)
  }

  /// Runs `mutation` and notifies observers of some properties.
  func notifyingObservers(of slots: SlotSet, _ mutation: () -> Void) {
    guard let registrar = observers?.registrar, let model = persistentModel else {
      return mutation()
    }
    let observed = descriptor.properties.indices.filter(slots.contains).map {
      ObservedProperty(registrar: registrar, keyPath: descriptor.properties[$0].keyPath)
    }
    for property in observed { property.willSet(model) }
    mutation()
    for property in observed { property.didSet(model) }
  }

  /// A registrar in an object: testing whether there is one must not cost a call.
  @usableFromInline
  final class Observers {
    @usableFromInline let registrar = ObservationRegistrar()
  }
}

/// A property with a type-erased key path, for notifications of a registrar.
private struct ObservedProperty {
  let registrar: ObservationRegistrar
  let keyPath: AnyKeyPath

  func willSet(_ model: any PersistentModel) { announce(model, isWill: true) }
  func didSet(_ model: any PersistentModel) { announce(model, isWill: false) }

  private func announce<M: PersistentModel>(_ model: M, isWill: Bool) {
    func typed<V>(_ type: V.Type) {
      guard let keyPath = keyPath as? KeyPath<M, V> else { return }
      if isWill {
        registrar.willSet(model, keyPath: keyPath)
      } else {
        registrar.didSet(model, keyPath: keyPath)
      }
    }
    _openExistential(Swift.type(of: keyPath).valueType, do: typed)
  }
}
