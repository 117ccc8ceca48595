/// Restores the state before an event.
///
/// 1. Deleted models are restored as the same instances; inserted models are deleted.
/// 2. Attributes get their old values.
/// 3. Relationships get their old related models: to-one sides first, then the members that to-many
///    sides gained and lost. Both sides stay consistent, even after changes that were not recorded.
struct UndoApplication {
  let core: ContextCore
  let record: UndoStep

  func run() {
    let returned = restoreModels()
    for before in record.models.reversed() where !before.wasPresent && core.has(before.storage) {
      core.deleteAlone(before.storage)
    }
    let present = record.models.filter { $0.wasPresent && core.has($0.storage) }
    for before in present { restoreAttributes(before) }
    for before in present { restoreToOnes(before, wholly: returned.contains(before.identity)) }
    for before in present { restoreToManys(before, wholly: returned.contains(before.identity)) }
    for before in present { restoreOrder(before, wholly: returned.contains(before.identity)) }
    core.identities._invariantCheck(in: core)
  }

  /// - Returns: The models that have to be inserted again, without related models.
  private func restoreModels() -> Set<ObjectIdentifier> {
    var returned: Set<ObjectIdentifier> = []
    for before in record.models where before.wasPresent && !core.has(before.storage) {
      let storage = before.storage
      if storage.source === core {
        if storage.flags.contains(.isDeleted) { core.undoDeletion(of: storage) }
      } else if storage.source == nil {
        core.join(storage)
        RelationshipFixer(core: core).clear(storage)
        returned.insert(before.identity)
      }
    }
    return returned
  }

  private func restoreAttributes(_ before: EarlierModelState) {
    let storage = before.storage
    for (slot, value) in before.attributes {
      storage.notifyingObservers(of: slot) {
        core._willChange(storage, slot: slot)
        storage.overlay(value, at: slot)
      }
    }
  }

  private func restoreToOnes(_ before: EarlierModelState, wholly isNew: Bool) {
    let storage = before.storage
    for (slot, partner) in before.toOnes where isNew || before.isEdited(slot) {
      if let partner, !canBeReferenced(partner) { continue }
      guard storage.relationships.partner(slot) !== partner else { continue }
      storage.notifyingObservers(of: slot) {
        RelationshipFixer(core: core).setToOne(storage, slot: slot, to: partner)
      }
    }
  }

  private func restoreToManys(_ before: EarlierModelState, wholly isNew: Bool) {
    let fixer = RelationshipFixer(core: core)
    let storage = before.storage
    for toMany in before.toManys where isNew || before.isEdited(toMany.slot) {
      if !isNew {
        for member in toMany.gained { fixer.remove(member, from: storage, slot: toMany.slot) }
      }
      for member in isNew ? toMany.membersBefore : toMany.lost where canBeReferenced(member) {
        fixer.add(member, to: storage, slot: toMany.slot)
      }
    }
  }

  /// A related model that is to be deleted is allowed: its deletion cascades again.
  private func canBeReferenced(_ partner: any PersistentModel) -> Bool {
    partner._$storage.source === core && !partner._$storage.flags.contains(.hasNoRow)
  }

  private func restoreOrder(_ before: EarlierModelState, wholly isNew: Bool) {
    let fixer = RelationshipFixer(core: core)
    for toMany in before.toManys {
      if isNew {
        fixer.arrange(before.storage, toMany.slot, like: toMany.membersBefore)
      } else if toMany.needsOrder, before.isEdited(toMany.slot) {
        fixer.restoreOrder(before.storage, toMany)
      }
    }
  }
}

extension EarlierModelState {
  fileprivate var identity: ObjectIdentifier { ObjectIdentifier(storage) }
}
