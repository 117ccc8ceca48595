/// Restores the state before an event. Made by the context, called by `UndoRecorder`.
///
/// 1. Deleted models are restored as the same instances; inserted models are deleted, except those that
///    became a stored row, which gets the links that it had before (`EarlierRows`).
/// 2. Attributes get their old values.
/// 3. Relationships get their old related models: to-one sides first, then the members that to-many
///    sides gained and lost. Both sides stay consistent, even after changes that were not recorded.
///    Members that saves took from other lists without an inverse return to these.
/// 4. Relationships without an inverse refer to restored models again.
struct UndoApplication {
  let step: UndoStep
  /// What saves have merged with rows that were stored before.
  let merged: MergedModels
  /// The context that restored models belong to.
  let source: any _FaultSource
  let context: ContextIdentity
  let identities: IdentityRegistry
  let recorder: ChangeRecorder
  let graph: ModelGraph
  let fixer: RelationshipFixer
  let coordinator: any StoreCoordinator
  /// Finds the model of a row that exists.
  let find: (PersistentIdentifier) -> (any PersistentModel)?
  /// Called with a model that is inserted again, and the models that showed the same row before its deletion.
  let didInsertAgain: (any PersistentModel, [any PersistentModel]) -> Void

  func run() {
    let losses = step.takenMembers?.losses.filter { isHeld($0.member, by: $0.gain) } ?? []
    let returned = restoreModels()
    let inserted = step.models.reversed().filter { !$0.wasPresent && context.has($0.storage) }
    let leaving = inserted.filter { !isKept($0) }
    let kept = EarlierRows(
      inserted.filter(isKept).map { ($0.storage, merged.earlierRow(of: $0.storage)) }, coordinator,
      identities, context, fixer, find)
    kept.restoreLinks()
    kept.unlink(from: leaving)
    for before in leaving { graph.deleteAlone(before.storage) }
    let present = step.models.filter { $0.wasPresent && context.has($0.storage) }
    for before in present { restoreAttributes(before) }
    for before in present { restoreToOnes(before, wholly: returned.contains(before.identity)) }
    for before in present {
      restoreToManys(before, wholly: returned.contains(before.identity), besides: kept)
    }
    for loss in losses where canBeReferenced(loss.member) && canBeReferenced(loss.owner) {
      fixer.add(loss.member, to: loss.owner._$storage, slot: loss.gain.slot)
    }
    for before in present { restoreReferences(before) }
    for before in present { restoreOrder(before, wholly: returned.contains(before.identity)) }
    identities._invariantCheck()
  }

  /// Whether the row of an inserted model was stored before, by others. A model that was stored itself is deleted
  /// again.
  private func isKept(_ before: EarlierModelState) -> Bool {
    !before.wasStored && merged.contains(before.storage)
  }

  /// Whether a list still has the member that it gained.
  private func isHeld(_ member: any PersistentModel, by gain: MemberGain) -> Bool {
    context.has(gain.owner)
      && gain.owner.relationships.loadedToMany(gain.slot).holds(member)
  }

  /// One instance of each row is inserted again; the others become instances of the new row when it is saved.
  /// - Returns: The models that have to be inserted again, without related models.
  private func restoreModels() -> Set<ObjectIdentifier> {
    var (returned, waiting) = (Set<ObjectIdentifier>(), Set<ObjectIdentifier>())
    for before in step.models where before.wasPresent && !context.has(before.storage) {
      if waiting.contains(before.identity) { continue }
      let storage = before.storage
      if context.owns(storage) {
        if storage.flags.contains(.isDeleted) { recorder.undoDeletion(of: storage) }
      } else if storage.source == nil {
        recorder.insert(storage, in: source)
        fixer.clear(storage)
        returned.insert(before.identity)
        if before.otherInstances.isEmpty { continue }
        waiting.formUnion(before.otherInstances.map { ObjectIdentifier($0._$storage) })
        didInsertAgain(before.model, before.otherInstances)
      }
    }
    return returned
  }

  private func restoreAttributes(_ before: EarlierModelState) {
    let storage = before.storage
    for (slot, value, isDerived) in before.attributes {
      storage.notifyingObservers(of: slot) {
        recorder.willChange(storage, slot: slot)
        storage.willRestore(slot, isDerived: isDerived)
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
        fixer.setToOne(storage, slot: slot, to: partner)
      }
    }
  }

  /// - Parameter kept: Inserted models whose rows have got their earlier links.
  private func restoreToManys(
    _ before: EarlierModelState, wholly isNew: Bool, besides kept: EarlierRows
  ) {
    let storage = before.storage
    for toMany in before.toManys where isNew || before.isEdited(toMany.slot) {
      if !isNew {
        for member in toMany.gained where !kept.keeps(member, in: storage, toMany.slot) {
          fixer.remove(member, from: storage, slot: toMany.slot)
        }
      }
      for member in isNew ? toMany.membersBefore : toMany.lost where canBeReferenced(member) {
        fixer.add(member, to: storage, slot: toMany.slot)
      }
    }
  }

  /// A save of the deletion has emptied the relationships; without a save nothing is changed.
  private func restoreReferences(_ before: EarlierModelState) {
    let storage = before.storage
    for (slot, target) in before.references where canBeReferenced(target) {
      if storage.descriptor.properties[slot].isToMany {
        fixer.add(target, to: storage, slot: slot)
      } else if storage.relationships.partner(slot) !== target {
        storage.notifyingObservers(of: slot) {
          fixer.setToOne(storage, slot: slot, to: target)
        }
      }
    }
  }

  /// A related model that is to be deleted is allowed: its deletion cascades again.
  private func canBeReferenced(_ partner: any PersistentModel) -> Bool {
    context.owns(partner._$storage) && !partner._$storage.flags.contains(.hasNoRow)
  }

  private func restoreOrder(_ before: EarlierModelState, wholly isNew: Bool) {
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
