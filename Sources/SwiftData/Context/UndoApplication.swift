/// Brings back what was there before an event.
///
/// 1. Models that went come back, as the same instances; models that came go.
/// 2. Attributes take their old values.
/// 3. Relationships take their old partners, to-one sides first, then what to-many sides gained and
///    lost. Both sides stay in step, whatever was changed without being recorded.
struct UndoApplication {
  let core: ContextCore
  let record: UndoRecord

  func run() {
    let returned = bringBack()
    for before in record.models.reversed() where !before.wasPresent && core.has(before.storage) {
      core.deleteAlone(before.storage)
    }
    let present = record.models.filter { $0.wasPresent && core.has($0.storage) }
    for before in present { restoreAttributes(before) }
    for before in present { restoreToOnes(before, wholly: returned.contains(before.place)) }
    for before in present { restoreToManys(before, wholly: returned.contains(before.place)) }
    for before in present { restoreOrder(before, wholly: returned.contains(before.place)) }
  }

  /// - Returns: The models that have to join the context anew, without partners.
  private func bringBack() -> Set<ObjectIdentifier> {
    var returned: Set<ObjectIdentifier> = []
    for before in record.models where before.wasPresent && !core.has(before.storage) {
      let storage = before.storage
      if storage.source === core {
        if storage.flags.contains(.isDeleted) { core.takeBackDeletion(of: storage) }
      } else if storage.source == nil {
        core.join(storage)
        RelationshipFixer(core: core).clear(storage)
        returned.insert(before.place)
      }
    }
    return returned
  }

  private func restoreAttributes(_ before: ModelBefore) {
    let storage = before.storage
    for (slot, value) in before.attributes {
      storage.notifyingObservers(of: slot) {
        core._willChange(storage, slot: slot)
        storage.overlay(value, at: slot)
      }
    }
  }

  private func restoreToOnes(_ before: ModelBefore, wholly isNew: Bool) {
    let storage = before.storage
    for (slot, partner) in before.toOnes where isNew || before.isEdited(slot) {
      if let partner, !canBeNamed(partner) { continue }
      guard storage.partner(slot) !== partner else { continue }
      storage.notifyingObservers(of: slot) {
        RelationshipFixer(core: core).setToOne(storage, slot: slot, to: partner)
      }
    }
  }

  private func restoreToManys(_ before: ModelBefore, wholly isNew: Bool) {
    let fixer = RelationshipFixer(core: core)
    let storage = before.storage
    for toMany in before.toManys where isNew || before.isEdited(toMany.slot) {
      if !isNew {
        for member in toMany.gained { fixer.remove(member, from: storage, slot: toMany.slot) }
      }
      for member in isNew ? toMany.membersBefore : toMany.lost where canBeNamed(member) {
        fixer.add(member, to: storage, slot: toMany.slot)
      }
    }
  }

  /// A partner that is to be deleted may be named: what goes along with it goes along again.
  private func canBeNamed(_ partner: any PersistentModel) -> Bool {
    partner._$storage.source === core && !partner._$storage.flags.contains(.isGone)
  }

  private func restoreOrder(_ before: ModelBefore, wholly isNew: Bool) {
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

extension ModelBefore {
  fileprivate var place: ObjectIdentifier { ObjectIdentifier(storage) }
}
