import Observation

/// Notifies observers of a model of changes made by the context: new rows, other sides of
/// relationships, rollback and undo. Setters notify observers themselves
/// (`ModelBacking+Observation`).
extension _ModelStorage {
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
