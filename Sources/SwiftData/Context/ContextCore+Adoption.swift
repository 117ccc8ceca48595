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
      guard case .object(let object) = storage.overlaid(slot) else { continue }
      if let loose = object as? LoosePartners {
        tighten(loose, of: storage, slot)
      } else if let value = object as? ToManyValue {
        guard value.added.contains(where: isForeign) else { continue }
        let members = (value.members ?? value.added).compactMap { member in
          isForeign(member) ? takenOver(member, by: storage, slot) : member
        }
        value.members = members
        value.added = members
      } else {
        takeOverPartner(slot, of: storage)
      }
    }
  }

  /// A graph that comes back holds its partners again.
  private func tighten(_ loose: LoosePartners, of storage: _ModelStorage, _ slot: Int) {
    if storage.descriptor.properties[slot].isToMany {
      let members = loose.models.compactMap { $0 as? any PersistentModel }
      storage.overlay(.object(ToManyValue(members: members)), at: slot)
    } else {
      storage.overlay(loose.models.first.map { .object($0) } ?? .null, at: slot)
      takeOverPartner(slot, of: storage)
    }
  }

  private func takeOverPartner(_ slot: Int, of storage: _ModelStorage) {
    guard case .object(let object) = storage.overlaid(slot), isForeign(object) else { return }
    let partner = takenOver(object, by: storage, slot)
    storage.overlay(partner.map { .object($0) } ?? .null, at: slot)
  }

  private func isForeign(_ object: AnyObject) -> Bool {
    guard let source = (object as? any PersistentModel)?._$storage.source else { return false }
    return source !== self
  }

  private func takenOver(
    _ object: AnyObject, by owner: _ModelStorage, _ slot: Int
  ) -> AnyObject? {
    (object as? any PersistentModel).flatMap { adopted($0, by: owner, slot) }
  }
}
