/// Models of other contexts, and of none any more, that a relationship of this context names.
///
/// Called where a relationship is set (`ContextCore+FaultSource`) and where a graph is inserted.
extension ContextCore {
  /// `model` as one of this context: inserted when it is new, found by identifier when it belongs
  /// to another context.
  func adopted(
    _ model: any PersistentModel, by owner: _ModelStorage, _ slot: Int
  ) -> (any PersistentModel)? {
    let storage = model._$storage
    guard canTrack(storage) else { return nil }
    if storage.source === self { return model }
    if storage.source == nil {
      insert(storage)
      return storage.source === self ? model : nil
    }
    let identifier = storage.identifier.resolved
    if !mayFind(identifier, of: storage) {
      refuseForeignContainer(storage, in: owner, slot)
      return nil
    }
    if identifier.isTemporary {
      refuseForeign(storage, in: owner, slot)
      return nil
    }
    return _model(for: identifier) as? any PersistentModel
  }

  /// Whether a model belongs to this container, or to another one that has opened the same store.
  func mayFind(_ identifier: PersistentIdentifier, of storage: _ModelStorage) -> Bool {
    guard let source = storage.source as? ContextCore, source.coordinator !== coordinator else {
      return true
    }
    return coordinator.ports.contains { $0.identifier == identifier.storeIdentifier }
  }
}
