import Foundation

/// Save and rollback of a context, around the `SaveSession` that does the work.
///
/// Called by `ModelContext.save`, `rollback` and `transaction`, by `Autosave`, and by a batch
/// deletion that loads its models. External changes are applied first; recorded misuse is thrown;
/// `willSave` and `didSave` are posted; the watchers are called before and after.
extension ContextCore {
  func save() throws {
    try requireNoSnapshot()
    applyExternalChanges()
    try pendingErrors.throwFirst()
    guard !changes.isEmpty || !lostReferences.discardedEdits.isEmpty else {
      for watcher in watchers.all { watcher.didSave(SavedChanges()) }
      return endEvent()
    }
    if let face {
      NotificationCenter.default.post(name: ModelContext.willSave, object: face)
    }
    endEvent()
    let saved: SaveSession.Saved
    do {
      saved = try notingSave {
        var session = SaveSession(core: self)
        return try session.run()
      }
    } catch {
      if let saved = partiallySaved.take() { didSave(saved) }
      throw error
    }
    identities._invariantCheck(in: self)
    didSave(saved)
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
    pendingErrors.removeAll()
    lostReferences.forgetDiscardedEdits()
    displacedLinks.removeAll()
    for watcher in watchers.all { watcher.didRollBack() }
    externalChanges.clearConflicts()
    let inserted = Array(changes.inserted)
    let touched = changes.changed.savedValues + changes.deleted.savedValues
    let models = inserted.map(\.model) + touched.map(\.storage.model)
    changes.removeAll()
    for storage in inserted { storage.leaveContext() }
    for storage in inserted { weakenReferences(of: storage) }
    lostReferences.expectNone()
    for (storage, saved) in touched {
      storage.notifyingObserversOfAll { saved.restore(to: storage) }
    }
    // The restored values may list models that another context has deleted since.
    if !touched.isEmpty { lostReferences.dropDeletedMembers() }
    applyExternalChanges()
    identities._invariantCheck(in: self)
    withExtendedLifetime(models) {}
  }

  /// Makes references of an unsaved model weak, so that its graph is freed when it has no other
  /// owner.
  func weakenReferences(of storage: _ModelStorage) {
    storage.relationships.weaken { slot in
      guard let link = storage.descriptor.link(slot, in: coordinator),
        let inverse = link.inverseSlot
      else { return false }
      return link.destination.properties[inverse].isToMany
    }
  }
}
