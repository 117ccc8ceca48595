import Foundation

/// Save and rollback of a context, around the `SaveSession` that does the work.
///
/// Called by `ModelContext.save`, `rollback` and `transaction`, by `Autosave`, and by a batch
/// deletion that loads its models. External changes are applied first; refused edits are thrown;
/// `willSave` and `didSave` are posted; the watchers are called before and after.
///
/// A save may call code of the app: a custom store, a statement log, the coding of a value. Another save
/// in it throws. Deletions, a rollback and undo are postponed to the end of the save; edits and
/// insertions stay unsaved (`LateEdits`).
extension ContextCore {
  func save() throws {
    try stores.requireIdle()
    externalChanges.applyNew()
    if !refusedEdits.isEmpty { try graph.retryRefusedEdits(in: self) }
    guard !changes.isEmpty || !lostReferences.discardedEdits.isEmpty else {
      watchers.didSave(SavedChanges())
      return watchers.endEvent()
    }
    try unreadableValues.requireNoDerivedEdits(in: changes.changed)
    if let face {
      NotificationCenter.default.post(name: ModelContext.willSave, object: face)
    }
    // Observers may have made edits.
    if !refusedEdits.isEmpty { try graph.retryRefusedEdits(in: self) }
    let lastRefused = refusedEdits.lastSerial
    watchers.endEvent()
    let saved: SaveSession.Saved
    do {
      defer { performPostponed() }
      saved = try watchers.notingSave {
        stores.isSaving = true
        defer { stores.isSaving = false }
        var session = saveSession
        return try session.run()
      }
    } catch let partial as SaveSession.PartialCommit {
      didSave(partial.saved)
      throw partial.error
    }
    // Those of deleted models are left, and those of code that the save has called.
    if !refusedEdits.isEmpty { refusedEdits.forgetAll(until: lastRefused) }
    identities._invariantCheck()
    didSave(saved)
  }

  private var saveSession: SaveSession {
    let rules = DeleteRules(self, stores, identity, recorder, graph, relationships, prefetcher)
    let displacement = ListDisplacement(stores, changes, relationships)
    let preparation = SavePreparation(
      externalChanges, conflictCheck, recorder, lostReferences, failedReads, displacement, rules,
      coordinator)
    let models = SavedModels(
      stores, identities, changes, watchers, lostReferences, recentModels, unreadableValues)
    return SaveSession(
      source: self, context: identity, stores: stores, recorder: recorder, watchers: watchers,
      externalChanges: externalChanges,
      models: models, transaction: transaction, refusesUpserts: uniquenessPolicy == .refuse,
      preparation: preparation)
  }

  /// Does something that would change what a running save stores, after the save.
  func postpone(_ work: @escaping () -> Void) { postponed.append(work) }

  private func performPostponed() {
    if postponed.isEmpty { return }
    let all = postponed
    postponed = []
    for work in all { work() }
  }

  /// Posts a save now, or at the end of the open transaction.
  private func didSave(_ saved: SaveSession.Saved) {
    if let transaction {
      transaction.append(saved, by: stores.editingState)
    } else {
      post(saved)
    }
  }

  func post(_ saved: SaveSession.Saved) {
    guard let face else { return }
    NotificationCenter.default.post(
      name: ModelContext.didSave, object: face, userInfo: saved.userInfo)
    if !saved.overwritten.isEmpty || !saved.discarded.isEmpty {
      NotificationCenter.default.post(
        name: ModelContext.didOverwrite, object: face,
        userInfo: [
          ModelContext.overwrittenPropertiesKey: saved.overwritten,
          ModelContext.discardedPropertiesKey: saved.discarded,
        ])
    }
  }

  /// Restores the stored values of live models and discards all pending changes.
  func rollback() {
    let refused = refusedEdits.removeAll()
    lostReferences.forgetDiscardedEdits()
    watchers.willRollBack(changes)
    externalChanges.feed.clearConflicts()
    let inserted = Array(changes.inserted)
    let touched = changes.changed.savedValues + changes.deleted.savedValues
    let removed = changes.removeAll()
    for storage in inserted { storage.leaveContext() }
    for storage in inserted { storage.relationships.weaken(in: coordinator) }
    lostReferences.expectNone()
    for (storage, saved) in touched {
      storage.notifyingObserversOfAll { saved.restore(to: storage) }
    }
    // The restored values may list models that another context has deleted since.
    for (storage, _) in touched {
      lostReferences.dropDeletedMembers(of: storage, storage.descriptor.toManySlots)
    }
    externalChanges.applyNew()
    identities._invariantCheck()
    withExtendedLifetime((removed, refused)) {}
  }
}
