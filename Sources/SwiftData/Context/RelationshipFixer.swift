/// Keeps both sides of a relationship consistent in memory, as soon as one side changes. Called by
/// the setters of relationships (`ContextCore+FaultSource`), by `ModelGraph`, `DeleteRules` and
/// `UndoApplication`.
///
/// 1. The side that was set drops its old related model, whose inverse drops this one.
/// 2. It takes the new related model, whose inverse takes this one. A to-one inverse that referred
///    to another model first drops that model (displacement).
/// 3. Every model whose value changed is marked as changed, and its observers are notified.
///
/// The to-many side is never loaded for this: an unloaded one records what was added and removed.
/// Delete rules, undo and external deletions change related models through this type too.
///
/// Belongs to one context and is used on its thread only.
final class RelationshipFixer {
  private let coordinator: any StoreCoordinator
  private let context: ContextIdentity
  private let recorder: ChangeRecorder

  init(
    _ coordinator: any StoreCoordinator, _ context: ContextIdentity, _ recorder: ChangeRecorder
  ) {
    self.coordinator = coordinator
    self.context = context
    self.recorder = recorder
  }

  // MARK: Setting a relationship

  func setToOne(_ storage: _ModelStorage, slot: Int, to model: (any PersistentModel)?) {
    let link = storage.descriptor.link(slot, in: coordinator)
    if let inverse = link?.inverseSlot {
      let old = storage.relationships.partner(slot)
      if old === model {
        switch storage.relationships.value(slot) {
        case .model, .identifier, .weakReferences: return
        case .unset, .null, .toMany: break
        }
        assign(model, to: storage, slot: slot)
        // The other side may have been read before this one.
        if let model, !model._$storage.descriptor.properties[inverse].isToMany {
          gain(storage, in: model._$storage, slot: inverse)
        }
        return
      }
      if let old { leave(storage, in: old, slot: inverse, for: model) }
    }
    assign(model, to: storage, slot: slot)
    if let model, let inverse = link?.inverseSlot {
      gain(storage, in: model._$storage, slot: inverse)
    }
  }

  func setToMany(_ storage: _ModelStorage, slot: Int, to models: [any PersistentModel]) {
    let known = storage.relationships.loadedToMany(slot)
    // Without members the store can't be read, and `RelationshipValues` makes the save throw.
    let change = ArrayChange(from: known.members ?? known.added, to: models)
    let value = willChangeToMany(storage, slot: slot)
    let inverse = storage.descriptor.link(slot, in: coordinator)?.inverseSlot
    if change.order != nil, let before = value.members {
      note(.reordered(before), storage, slot)
    }
    // A list may be its own inverse.
    func hasOtherSide(_ model: any PersistentModel) -> Bool {
      inverse != slot || model._$storage !== storage
    }
    for model in change.removed {
      lose(model, value, of: storage, slot)
      if let inverse, hasOtherSide(model) {
        forget(storage, in: model._$storage, slot: inverse)
      }
    }
    for model in change.added {
      gain(model, value, of: storage, slot)
      gain(storage, inInverse: inverse, of: model, slot)
    }
    if let order = change.order, value.members != nil { value.reorder(order) }
  }

  /// Adds and removes some members of a loaded to-many.
  func changeToMany(_ storage: _ModelStorage, slot: Int, by change: _ToManyChange) {
    let value = willChangeToMany(storage, slot: slot)
    let inverse = storage.descriptor.link(slot, in: coordinator)?.inverseSlot
    for model in change.removed {
      lose(model, value, of: storage, slot)
      // A list may be its own inverse.
      if let inverse, inverse != slot || model._$storage !== storage {
        forget(storage, in: model._$storage, slot: inverse)
      }
    }
    for (model, position) in change.added where !value.holds(model) {
      gain(model, value, of: storage, slot, at: position)
      gain(storage, inInverse: inverse, of: model, slot)
    }
  }

  /// Adds `member` to a to-many, on both sides.
  func add(_ member: any PersistentModel, to storage: _ModelStorage, slot: Int) {
    guard storage.model != nil, !contains(member, in: storage, slot: slot) else { return }
    gain(member._$storage, in: storage, slot: slot)
    let inverse = storage.descriptor.link(slot, in: coordinator)?.inverseSlot
    gain(storage, inInverse: inverse, of: member, slot)
  }

  /// Removes `member` from a to-many, on both sides.
  func remove(_ member: any PersistentModel, from storage: _ModelStorage, slot: Int) {
    guard contains(member, in: storage, slot: slot) else { return }
    forget(member._$storage, in: storage, slot: slot)
    if let inverse = storage.descriptor.link(slot, in: coordinator)?.inverseSlot {
      forget(storage, in: member._$storage, slot: inverse)
    }
  }

  private func contains(
    _ member: any PersistentModel, in storage: _ModelStorage, slot: Int
  ) -> Bool {
    let value = storage.relationships.toManyForChange(slot)
    if value.holds(member) { return true }
    let instances = recorder.instances(of: member)
    if instances.contains(where: value.holds) { return true }
    if value.members != nil || value.hasRemoved(member)
      || instances.contains(where: value.hasRemoved)
    {
      return false
    }
    // The inverse to-one answers this without loading the list.
    if let inverse = storage.descriptor.link(slot, in: coordinator)?.inverseSlot,
      context.owns(member._$storage),
      !member._$storage.descriptor.properties[inverse].isToMany
    {
      return member._$storage.relationships.refers(inverse, to: storage)
    }
    return storage.relationships.loadedToMany(slot).holds(member)
  }

  /// Moves members that an undo added again to their earlier positions.
  func restoreOrder(_ storage: _ModelStorage, _ edits: ToManyEdits) {
    let slot = edits.slot
    if edits.movesOthers, var ordered = storage.relationships.toManyForChange(slot).members {
      edits.restoreOrder(of: &ordered)
      arrange(storage, slot, like: ordered)
    } else if storage.relationships.toManyForChange(slot).members != nil {
      notify(storage, slot) {
        let value = willChangeToMany(storage, slot: slot)
        edits.restorePositions { value.move($0, to: $1) }
      }
    }
  }

  /// Gives a loaded to-many the order of `models`.
  func arrange(_ storage: _ModelStorage, _ slot: Int, like models: ModelList) {
    guard let members = storage.relationships.toManyForChange(slot).members else { return }
    var ordered = members
    ordered.arrange(like: models)
    guard !ordered.isSame(as: members) else { return }
    notify(storage, slot) {
      let value = willChangeToMany(storage, slot: slot)
      note(.reordered(members), storage, slot)
      value.reorder(ordered)
    }
  }

  /// Announces that a to-many is about to change, and returns the value to change.
  ///
  /// At the first change after a save this is a copy: the earlier value is kept for a rollback.
  private func willChangeToMany(_ storage: _ModelStorage, slot: Int) -> _ToManyValue {
    let isFirst = !storage.changedSlots.contains(slot)
    recorder.willChange(storage, slot: slot)
    let value = storage.relationships.toManyForChange(slot)
    guard isFirst else { return value }
    let copy = _ToManyValue(changing: value)
    storage.overlay(.toMany(copy), at: slot)
    return copy
  }

  private func gain(
    _ model: any PersistentModel, _ value: _ToManyValue, of storage: _ModelStorage, _ slot: Int,
    at position: ModelList.Position? = nil
  ) {
    value.gain(model, at: position)
    note(.gained(model), storage, slot)
  }

  @discardableResult
  private func lose(
    _ model: any PersistentModel, _ value: _ToManyValue, of storage: _ModelStorage, _ slot: Int
  ) -> ModelList.Position {
    let position = value.lose(model)
    note(.lost(model, position), storage, slot)
    return position
  }

  private func note(_ edit: ToManyEdits.Edit, _ storage: _ModelStorage, _ slot: Int) {
    recorder.didEditMembers(edit, of: storage, slot: slot)
  }

  /// Makes the inverses of a newly inserted model's relationships consistent with it.
  func reconcile(_ storage: _ModelStorage) {
    for slot in storage.descriptor.relationshipSlots {
      guard let link = storage.descriptor.link(slot, in: coordinator) else { continue }
      switch storage.relationships.value(slot) {
      case .model(let partner):
        if let inverse = link.inverseSlot { gain(storage, in: partner._$storage, slot: inverse) }
      case .toMany(let value):
        for member in value.added { gain(storage, inInverse: link.inverseSlot, of: member, slot) }
      case .unset, .null, .identifier, .weakReferences: continue
      }
    }
  }

  /// Removes a model that leaves the unit of work from all related models. Its own values stay, so
  /// a model that is related to itself is not changed.
  func unlink(_ storage: _ModelStorage) {
    for slot in storage.descriptor.relationshipSlots {
      guard let inverse = storage.descriptor.link(slot, in: coordinator)?.inverseSlot
      else { continue }
      for partner in storage.relationships.partners(slot) where partner._$storage !== storage {
        forget(storage, in: partner._$storage, slot: inverse)
      }
    }
  }

  /// Adds `storage` to the inverse side of a list that gained `member`, if it has one.
  private func gain(
    _ storage: _ModelStorage, inInverse inverse: Int?, of member: any PersistentModel, _ slot: Int
  ) {
    if let inverse {
      gain(storage, in: member._$storage, slot: inverse)
    } else {
      recorder.changes.noteGain(MemberGain(owner: storage, slot: slot, member: member._$storage))
    }
  }

  /// Adds `storage` to the inverse side, at `partner`.
  private func gain(_ storage: _ModelStorage, in partner: _ModelStorage, slot: Int) {
    guard let model = storage.persistentModel, context.owns(partner),
      !partner.flags.contains(.hasNoRow)
    else { return }
    if partner.descriptor.properties[slot].isToMany {
      let value = partner.relationships.toManyForChange(slot)
      guard !value.holds(model) else { return }
      let instances = recorder.instances(of: model)
      if instances.contains(where: value.holds) { return }
      let member = instances.first(where: value.hasRemoved) ?? model
      notify(partner, slot) {
        gain(member, willChangeToMany(partner, slot: slot), of: partner, slot)
      }
    } else {
      let current = partner.relationships.partner(slot)
      if current === model { return }
      if let current,
        let inverse = partner.descriptor.link(slot, in: coordinator)?.inverseSlot
      {
        leave(partner, in: current, slot: inverse, for: model)
      }
      notify(partner, slot) { assign(model, to: partner, slot: slot) }
    }
  }

  /// Removes `storage` from the inverse side, at `old`, because it gets another model.
  ///
  /// Another instance of the same row, which an upsert has left, is not emptied: at the save, that edit would replace the
  /// relationship of the row. It only loses its own edit.
  private func leave(
    _ storage: _ModelStorage, in old: any PersistentModel, slot: Int,
    for new: (any PersistentModel)?
  ) {
    let isSameRow = new.map { new in recorder.instances(of: new).contains { $0 === old } } ?? false
    if isSameRow, !old._$storage.descriptor.properties[slot].isToMany {
      notify(old._$storage, slot) { recorder.takeBackEdit(of: old._$storage, slot: slot) }
    } else {
      forget(storage, in: old._$storage, slot: slot)
    }
  }

  /// Removes `storage` from the inverse side, at `partner`.
  private func forget(_ storage: _ModelStorage, in partner: _ModelStorage, slot: Int) {
    guard let model = storage.persistentModel, context.owns(partner),
      !partner.flags.contains(.hasNoRow)
    else { return }
    if partner.descriptor.properties[slot].isToMany {
      let member = instance(of: model, in: partner.relationships.toManyForChange(slot))
      notify(partner, slot) {
        lose(member, willChangeToMany(partner, slot: slot), of: partner, slot)
      }
    } else {
      guard partner.relationships.refers(slot, to: storage) else { return }
      let isDisplaced = displaces(storage, partner, slot)
      notify(partner, slot) { assign(nil, to: partner, slot: slot) }
      if isDisplaced {
        recorder.changes.noteDisplacement(of: partner, slot, from: storage.identifier)
      }
    }
  }

  /// The instance of a model's row that a list has: an upsert may have left several.
  private func instance(
    of model: any PersistentModel, in value: _ToManyValue
  ) -> any PersistentModel {
    if value.holds(model) { return model }
    let instances = recorder.instances(of: model)
    if let held = instances.first(where: value.holds) { return held }
    // Members that are read later are the registered instances.
    return value.members == nil ? instances.first ?? model : model
  }

  /// Whether the stored one-to-one relationship of `partner` ends because `storage` is set elsewhere or deleted.
  private func displaces(
    _ storage: _ModelStorage, _ partner: _ModelStorage, _ slot: Int
  ) -> Bool {
    // A model that was set here since the last save replaced the stored one on purpose.
    guard !partner.changedSlots.contains(slot),
      let inverse = partner.descriptor.link(slot, in: coordinator)?.inverseSlot
    else { return false }
    return !storage.descriptor.properties[inverse].isToMany
  }

  private func assign(_ model: (any PersistentModel)?, to storage: _ModelStorage, slot: Int) {
    recorder.changes.forgetDisplacement(of: storage, slot)
    overlay(model, on: storage, slot: slot)
  }

  private func overlay(_ model: (any PersistentModel)?, on storage: _ModelStorage, slot: Int) {
    recorder.willChange(storage, slot: slot)
    storage.overlay(model.map { .model($0) } ?? .null, at: slot)
  }

  private func notify(_ storage: _ModelStorage, _ slot: Int, _ mutation: () -> Void) {
    storage.notifyingObservers(of: slot, mutation)
  }
}

/// What delete rules change in models related to a deleted model, in memory and before the store
/// writes.
///
/// If the save fails, the returned closures undo it.
extension RelationshipFixer {
  typealias Undoing = () -> Void

  /// Removes a deleted model from a list, which changes the list's owner.
  /// - Returns: The undo of it.
  func remove(_ storage: _ModelStorage, from partner: _ModelStorage, slot: Int) -> Undoing {
    guard let model = storage.persistentModel else { return {} }
    let restore = restoring(partner, slot)
    let wasChanged = partner.changedSlots.contains(slot)
    var position = ModelList.Position.unknown
    notify(partner, slot) {
      position = lose(model, willChangeToMany(partner, slot: slot), of: partner, slot)
    }
    guard wasChanged, case .toMany(let value) = partner.overlaid(slot) else { return restore }
    return { [recorder] in
      partner.notifyingObservers(of: slot) { value.gain(model, at: position) }
      recorder.didRestore(partner, slot: slot)
    }
  }

  /// Clears a to-one that refers to a deleted model, which changes its owner.
  /// - Returns: The undo of it.
  func empty(_ partner: _ModelStorage, slot: Int, of storage: _ModelStorage) -> Undoing {
    let restore = restoring(partner, slot)
    let isDisplaced = displaces(storage, partner, slot)
    // A relationship that was displaced before stays displaced.
    notify(partner, slot) { overlay(nil, on: partner, slot: slot) }
    guard isDisplaced else { return restore }
    recorder.changes.noteDisplacement(of: partner, slot, from: storage.identifier)
    return { [changes = recorder.changes] in
      changes.forgetDisplacement(of: partner, slot)
      restore()
    }
  }

  private func restoring(_ partner: _ModelStorage, _ slot: Int) -> Undoing {
    let old = partner.overlaid(slot)
    let slots = partner.changedSlots
    let wasClean = partner.flags.isDisjoint(with: [.isChanged, .isInserted])
    return { [recorder] in
      partner.notifyingObservers(of: slot) { partner.overlay(old, at: slot) }
      partner.overlay.keepChanged(slots)
      if wasClean { recorder.changes.forget(partner) }
      recorder.didRestore(partner, slot: slot)
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
