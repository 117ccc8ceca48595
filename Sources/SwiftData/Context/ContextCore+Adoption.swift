/// Models of other contexts, and of none any more, that a relationship of this context names.
extension ContextCore {
  /// `model` as one of this context: inserted when it is new, found by identifier when it belongs
  /// to another context.
  func adopted(
    _ model: any PersistentModel, by owner: _ModelStorage, _ slot: Int
  ) -> (any PersistentModel)? {
    let storage = model._$storage
    if storage.source === self { return model }
    if storage.source == nil {
      insert(storage)
      return storage.source === self ? model : nil
    }
    let identifier = storage.identifier.resolved
    if identifier.isTemporary {
      refuseForeign(storage, in: owner, slot)
      return nil
    }
    return _model(for: identifier) as? any PersistentModel
  }

  func refuseForeign(_ storage: _ModelStorage, in owner: _ModelStorage, _ slot: Int) {
    pendingError =
      pendingError
      ?? SwiftDataError.modelValidationFailure.with(
        "\(owner.identifier) can't lead to \(storage.identifier), which is new in another context. "
          + "Save it there first, or insert both into the same context.",
        entity: owner.descriptor.entityName, property: owner.descriptor.properties[slot].name)
  }

  func refuseForeign(_ storage: _ModelStorage) {
    pendingError =
      pendingError
      ?? SwiftDataError.modelValidationFailure.with(
        "The model \(storage.identifier) belongs to another context. Pass its persistentModelID and "
          + "fetch it in this one.",
        entity: storage.descriptor.entityName)
  }

  func refuseEdit(of storage: _ModelStorage, _ slot: Int) {
    pendingError =
      pendingError
      ?? SwiftDataError.modelValidationFailure.with(
        "The model \(storage.identifier) was deleted by another context, so its edit can't be saved. "
          + "Ask isDeleted first, or insert the model again.",
        entity: storage.descriptor.entityName, property: storage.descriptor.properties[slot].name)
  }
}
