/// What delete rules change in models related to a deleted model, in memory and before the store
/// writes.
///
/// If the save fails, the returned closures undo it.
extension RelationshipFixer {
  typealias Undoing = () -> Void

  /// Removes a deleted model from a list in memory. The store removes the pair itself, so this is
  /// no change of the list's owner.
  /// - Returns: The undo of it; empty if no list is in memory.
  func drop(_ storage: _ModelStorage, from partner: _ModelStorage, slot: Int) -> [Undoing] {
    guard case .toMany(let value) = partner.overlaid(slot), let model = storage.persistentModel
    else { return [] }
    var dropped: _ToManyValue.Dropped?
    notify(partner, slot) { dropped = value.drop(model) }
    guard let dropped else { return [] }
    return [{ notify(partner, slot) { value.takeBack(dropped) } }]
  }

  /// Clears a to-one that refers to a deleted model, which changes its owner.
  /// - Returns: The undo of it.
  func empty(_ partner: _ModelStorage, slot: Int) -> Undoing {
    let old = partner.overlaid(slot)
    let slots = partner.changedSlots
    let wasClean = partner.flags.isDisjoint(with: [.isChanged, .isInserted])
    notify(partner, slot) { assign(nil, to: partner, slot: slot) }
    return {
      notify(partner, slot) { partner.overlay(old, at: slot) }
      partner.overlay.keepChanged(slots)
      if wasClean { core.changes.forget(partner) }
    }
  }

  /// Clears all relationships of a model that an undo restores, without changing the other sides.
  func clear(_ storage: _ModelStorage) {
    for slot in storage.descriptor.relationshipSlots {
      let isToMany = storage.descriptor.properties[slot].isToMany
      storage.overlay(isToMany ? .toMany(_ToManyValue(members: [])) : .null, at: slot)
    }
  }
}
