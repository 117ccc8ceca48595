/// What delete rules do to the partners of a deleted model, in memory and before the store writes.
///
/// A save that fails takes it back by what these functions return.
extension RelationshipFixer {
  typealias Undoing = () -> Void

  /// Takes a deleted model out of a list that is in memory. The store removes the pair itself, so
  /// this is no change of the list's owner.
  /// - Returns: What takes it back; nothing where no list is in memory.
  func drop(_ storage: _ModelStorage, from partner: _ModelStorage, slot: Int) -> [Undoing] {
    guard case .toMany(let value) = partner.overlaid(slot), let model = storage.persistentModel
    else { return [] }
    var dropped: _ToManyValue.Dropped?
    notify(partner, slot) { dropped = value.drop(model) }
    guard let dropped else { return [] }
    return [{ notify(partner, slot) { value.takeBack(dropped) } }]
  }

  /// Empties a to-one that names a deleted model, which changes its owner.
  /// - Returns: What takes it back.
  func empty(_ partner: _ModelStorage, slot: Int) -> Undoing {
    let old = partner.overlaid(slot)
    let slots = partner.changedSlots
    let wasClean = partner.flags.isDisjoint(with: [.isChanged, .isInserted])
    notify(partner, slot) { assign(nil, to: partner, slot: slot) }
    return {
      notify(partner, slot) { partner.overlay(old, at: slot) }
      partner.changedSlots = slots
      if wasClean { core.forgetChange(of: partner) }
    }
  }

  /// Empties all relationships of a model that an undo brings back, without regard to other sides.
  func clear(_ storage: _ModelStorage) {
    for slot in storage.descriptor.relationshipSlots {
      let isToMany = storage.descriptor.properties[slot].isToMany
      storage.overlay(isToMany ? .toMany(_ToManyValue(members: [])) : .null, at: slot)
    }
  }
}
