/// Keeps both sides of a relationship in step in memory, the moment one side changes. Called by the
/// setters of relationships (`ContextCore+FaultSource`), by insertion, deletion and undo.
///
/// 1. The side that was set drops its old partner, whose inverse forgets it.
/// 2. It takes the new partner, whose inverse gains it; a to-one inverse that named another model
///    frees that one first (displacement).
/// 3. Every model whose value changed is marked changed and its observers are notified.
///
/// The to-many side is never loaded for this: an unloaded one notes what was added and removed.
struct RelationshipFixer {
  let core: ContextCore

  func setToOne(_ storage: _ModelStorage, slot: Int, to model: (any PersistentModel)?) {
    let link = storage.descriptor.link(slot, in: core.coordinator)
    if let inverse = link?.inverseSlot {
      let old = storage.partner(slot)
      if old === model {
        if case .object = storage.overlaid(slot) { return }
        return assign(model, to: storage, slot: slot)
      }
      if let old { forget(storage, in: old._$storage, slot: inverse) }
    }
    assign(model, to: storage, slot: slot)
    if let model, let inverse = link?.inverseSlot {
      gain(storage, in: model._$storage, slot: inverse)
    }
  }

  func setToMany(_ storage: _ModelStorage, slot: Int, to models: [any PersistentModel]) {
    let old = storage.loadedToMany(slot).members ?? []
    // Most arrays that are set are the old one with a member more: only the rest is compared.
    let shared = RelationshipFixer.sharedPrefix(old, models)
    let unique = RelationshipFixer.withoutRepeats(models, after: shared)
    let oldRest = Set(old[shared...].map(ObjectIdentifier.init))
    let newRest = Set(unique[shared...].map(ObjectIdentifier.init))
    let value = willChangeToMany(storage, slot: slot)
    let inverse = storage.descriptor.link(slot, in: core.coordinator)?.inverseSlot
    for object in old[shared...] where !newRest.contains(ObjectIdentifier(object)) {
      guard let model = object as? any PersistentModel else { continue }
      value.noteRemoved(model)
      if let inverse { forget(storage, in: model._$storage, slot: inverse) }
    }
    for model in unique[shared...] where !oldRest.contains(ObjectIdentifier(model)) {
      value.noteAdded(model)
      if let inverse { gain(storage, in: model._$storage, slot: inverse) }
    }
    value.members = unique
    value.isReordered = value.isReordered || shared < old.count
  }

  /// Makes `member` one of a to-many, on both sides.
  func add(_ member: any PersistentModel, to storage: _ModelStorage, slot: Int) {
    guard let model = storage.persistentModel, !contains(member, in: storage, slot: slot) else {
      return
    }
    gain(member._$storage, in: storage, slot: slot)
    if let inverse = storage.descriptor.link(slot, in: core.coordinator)?.inverseSlot {
      gain(model._$storage, in: member._$storage, slot: inverse)
    }
  }

  /// Takes `member` out of a to-many, on both sides.
  func remove(_ member: any PersistentModel, from storage: _ModelStorage, slot: Int) {
    guard contains(member, in: storage, slot: slot) else { return }
    forget(member._$storage, in: storage, slot: slot)
    if let inverse = storage.descriptor.link(slot, in: core.coordinator)?.inverseSlot {
      forget(storage, in: member._$storage, slot: inverse)
    }
  }

  private func contains(
    _ member: any PersistentModel, in storage: _ModelStorage, slot: Int
  ) -> Bool {
    let value = storage.toManyForChange(slot)
    if value.holds(member) { return true }
    if value.members != nil || value.hasRemoved(member) { return false }
    // The to-one on the other side knows it without loading the list.
    if let inverse = storage.descriptor.link(slot, in: core.coordinator)?.inverseSlot,
      member._$storage.source === core,
      !member._$storage.descriptor.properties[inverse].isToMany
    {
      return member._$storage.partner(inverse) === storage.model
    }
    return storage.loadedToMany(slot).members?.contains { $0 === member } ?? false
  }

  /// Gives a loaded to-many with the same members the order of `models`.
  func reorder(_ storage: _ModelStorage, slot: Int, like models: [AnyObject]) {
    guard let members = storage.toManyForChange(slot).members, members.count == models.count,
      !members.elementsEqual(models, by: ===),
      Set(members.map(ObjectIdentifier.init)) == Set(models.map(ObjectIdentifier.init))
    else { return }
    notify(storage, slot) { willChangeToMany(storage, slot: slot).members = models }
  }

  /// Says that a to-many is about to change, and gives what to change.
  ///
  /// That is a copy at the first change after a save: what was there before is kept for a rollback.
  private func willChangeToMany(_ storage: _ModelStorage, slot: Int) -> ToManyValue {
    let isFirst = !storage.changedSlots.contains(slot)
    core._willChange(storage, slot: slot)
    let value = storage.toManyForChange(slot)
    guard isFirst || SlotSet.isShared(slot) && !value.isChanged else { return value }
    let copy = ToManyValue(copying: value)
    storage.overlay(.object(copy), at: slot)
    return copy
  }

  private static func sharedPrefix(_ old: [AnyObject], _ new: [any PersistentModel]) -> Int {
    var count = 0
    while count < old.count, count < new.count, old[count] === new[count] { count += 1 }
    return count
  }

  /// Each model once; the first `count` are known to differ.
  private static func withoutRepeats(
    _ models: [any PersistentModel], after count: Int
  ) -> [any PersistentModel] {
    var unique = Array(models[..<count])
    if models.count - count <= 2 {
      for model in models[count...] where !unique.contains(where: { $0 === model }) {
        unique.append(model)
      }
    } else {
      var known = Set(unique.map { ObjectIdentifier($0) })
      for model in models[count...] where known.insert(ObjectIdentifier(model)).inserted {
        unique.append(model)
      }
    }
    return unique
  }

  /// Brings the other sides of a newly inserted model's relationships into step with it.
  func reconcile(_ storage: _ModelStorage) {
    for slot in storage.descriptor.relationshipSlots {
      guard let inverse = storage.descriptor.link(slot, in: core.coordinator)?.inverseSlot,
        case .object(let object) = storage.overlaid(slot)
      else { continue }
      if let model = object as? any PersistentModel {
        gain(storage, in: model._$storage, slot: inverse)
      } else if let value = object as? ToManyValue {
        for member in value.added {
          guard let model = member as? any PersistentModel else { continue }
          gain(storage, in: model._$storage, slot: inverse)
        }
      }
    }
  }

  /// Frees all partners of a model that leaves the unit of work. What it names itself stays, so one
  /// that is its own partner is not changed.
  func unlink(_ storage: _ModelStorage) {
    for slot in storage.descriptor.relationshipSlots {
      guard let inverse = storage.descriptor.link(slot, in: core.coordinator)?.inverseSlot
      else { continue }
      for partner in storage.partners(slot) where partner._$storage !== storage {
        forget(storage, in: partner._$storage, slot: inverse)
      }
    }
  }

  /// `partner` gains `storage` on its side.
  private func gain(_ storage: _ModelStorage, in partner: _ModelStorage, slot: Int) {
    guard let model = storage.persistentModel, partner.source === core,
      !partner.flags.contains(.isGone)
    else { return }
    if partner.descriptor.properties[slot].isToMany {
      let value = partner.toManyForChange(slot)
      guard !value.holds(model) else { return }
      notify(partner, slot) {
        let value = willChangeToMany(partner, slot: slot)
        value.noteAdded(model)
        value.appendMember(model)
      }
    } else {
      let current = partner.partner(slot)
      if current === model { return }
      if let current,
        let inverse = partner.descriptor.link(slot, in: core.coordinator)?.inverseSlot
      {
        forget(partner, in: current._$storage, slot: inverse)
      }
      notify(partner, slot) { assign(model, to: partner, slot: slot) }
    }
  }

  /// `partner` no longer names `storage` on its side.
  private func forget(_ storage: _ModelStorage, in partner: _ModelStorage, slot: Int) {
    guard let model = storage.persistentModel, partner.source === core,
      !partner.flags.contains(.isGone)
    else { return }
    if partner.descriptor.properties[slot].isToMany {
      notify(partner, slot) {
        let value = willChangeToMany(partner, slot: slot)
        value.noteRemoved(model)
        value.members?.removeAll { $0 === model }
      }
    } else {
      guard partner.partner(slot) === model else { return }
      notify(partner, slot) { assign(nil, to: partner, slot: slot) }
    }
  }

  private func assign(_ model: (any PersistentModel)?, to storage: _ModelStorage, slot: Int) {
    core._willChange(storage, slot: slot)
    storage.overlay(model.map { .object($0) } ?? .null, at: slot)
  }

  private func notify(_ storage: _ModelStorage, _ slot: Int, _ mutation: () -> Void) {
    storage.notifyingObservers(of: slot, mutation)
  }
}
