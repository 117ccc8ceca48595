/// Adds models of other contexts, or without a context, that a relationship of this context is set
/// to.
///
/// Called when a relationship is set (`ContextCore+FaultSource`) and when a graph is inserted.
extension ContextCore {
  /// Returns `model` as a model of this context. A new model is inserted; a model of another
  /// context is found by identifier.
  func adopted(
    _ model: any PersistentModel, by owner: _ModelStorage, _ slot: Int
  ) -> (any PersistentModel)? {
    let storage = model._$storage
    guard canTrack(storage) else { return nil }
    if storage.source === self {
      if storage.flags.contains(.hasNoRow) { lostReferences.expect() }
      return model
    }
    if storage.source == nil {
      insert(storage)
      return storage.source === self ? model : nil
    }
    let identifier = storage.identifier.resolved
    if !isReachable(identifier, of: storage) {
      rejectModelOfOtherContainer(storage, in: owner, slot)
      return nil
    }
    if identifier.isTemporary {
      rejectModelOfOtherContext(storage, in: owner, slot)
      return nil
    }
    return _model(for: identifier) as? any PersistentModel
  }

  /// Whether a model belongs to this container, or to another container that has the same store
  /// open.
  func isReachable(_ identifier: PersistentIdentifier, of storage: _ModelStorage) -> Bool {
    guard let source = storage.source as? ContextCore, source.coordinator !== coordinator else {
      return true
    }
    return coordinator.ports.contains { $0.identifier == identifier.storeIdentifier }
  }
}
