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
    if !ObservationProbe.isSuspended { willRead(slot) }
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
    let observed = observed([slot], registrar)
    for property in observed { property.willSet(model) }
    mutation()
    for property in observed { property.didSet(model) }
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
    let observed = observed(descriptor.properties.indices.filter(slots.contains), registrar)
    for property in observed { property.willSet(model) }
    mutation()
    for property in observed { property.didSet(model) }
  }

  /// Notifies observers of lists that lost members and are not in memory: they may have read them before.
  func notifyObserversOfUnloadedLists(_ slots: SlotSet) {
    if observers == nil { return }
    let lists = slots.intersection(descriptor.toManySlots)
    for slot in descriptor.relationshipSlots where lists.contains(slot) {
      if case .toMany = overlaid(slot) { continue }
      notifyingObservers(of: slot) {}
    }
  }

  /// The properties under all names by which observers may know them: the accessor of an inherited property
  /// names the class that declares it.
  private func observed(
    _ slots: [Int], _ registrar: ObservationRegistrar
  ) -> [ObservedProperty] {
    slots.flatMap { slot in
      descriptor.lineage.filter { slot < $0.properties.count }.map {
        ObservedProperty(registrar: registrar, keyPath: $0.properties[slot].keyPath)
      }
    }
  }

  /// A registrar in an object: testing whether there is one must not cost a call.
  @usableFromInline
  final class Observers {
    @usableFromInline let registrar = ObservationRegistrar()
    /// What reads of the model returned in place of values that could not be read.
    var standIns: StandIns?
  }
}

/// A property with a type-erased key path, for notifications of a registrar.
private struct ObservedProperty {
  let registrar: ObservationRegistrar
  let keyPath: AnyKeyPath

  func willSet(_ model: any PersistentModel) { announce(model, isWill: true) }
  func didSet(_ model: any PersistentModel) { announce(model, isWill: false) }

  private func announce(_ model: any PersistentModel, isWill: Bool) {
    guard let root = Swift.type(of: keyPath).rootType as? any PersistentModel.Type else { return }
    announce(model, as: root, isWill: isWill)
  }

  /// - Parameter type: The class of the model, or one from which it inherits the property.
  private func announce<M: PersistentModel>(
    _ model: any PersistentModel, as type: M.Type, isWill: Bool
  ) {
    guard let model = model as? M else { return }
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
