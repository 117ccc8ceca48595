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

  /// Replaces partners of a model that joins: those of another context by this context's instances
  /// of their rows. A partner that its context has not saved has no row, so the next save throws.
  func takeOverPartners(of storage: _ModelStorage) {
    for slot in storage.descriptor.relationshipSlots {
      switch storage.overlaid(slot) {
      case .weakPartners(let partners): hold(partners, of: storage, slot)
      case .toMany(let value):
        guard value.added.contains(where: isForeign) else { continue }
        let members = (value.members ?? value.added).compactMap { member in
          isForeign(member) ? adopted(member, by: storage, slot) : member
        }
        value.replaceAll(members)
      case .model(let partner): takeOver(partner, slot, of: storage)
      case .unset, .null, .identifier: continue
      case .integer, .real, .text, .blob, .uuid, .boxed: continue
      }
    }
  }

  /// A graph that comes back holds its partners again.
  private func hold(_ partners: _WeakPartners, of storage: _ModelStorage, _ slot: Int) {
    if storage.descriptor.properties[slot].isToMany {
      storage.overlay(.toMany(_ToManyValue(members: partners.models)), at: slot)
    } else if let partner = partners.models.first {
      storage.overlay(.model(partner), at: slot)
      takeOver(partner, slot, of: storage)
    } else {
      storage.overlay(.null, at: slot)
    }
  }

  private func takeOver(_ partner: any PersistentModel, _ slot: Int, of storage: _ModelStorage) {
    guard isForeign(partner) else { return }
    let own = adopted(partner, by: storage, slot)
    storage.overlay(own.map { .model($0) } ?? .null, at: slot)
  }

  private func isForeign(_ model: any PersistentModel) -> Bool {
    guard let source = model._$storage.source else { return false }
    return source !== self
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
