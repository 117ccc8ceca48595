import Foundation

/// A save and a rollback as the context sees them, around the `SaveSession` that does the work.
///
/// Called by `ModelContext.save`, `rollback` and `transaction`, by `Autosave`, and by a batch
/// deletion that goes through the models. External changes are applied first; misuse is thrown;
/// `willSave` and `didSave` are posted; the watchers are called before and after.
extension ContextCore {
  func save() throws {
    try requireNoSnapshot()
    applyExternalChanges()
    try pendingErrors.throwFirst()
    guard !changes.isEmpty || !discardedEdits.isEmpty else {
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
      if let saved = savedInPart.take() { didSave(saved) }
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

  /// Gives live models their stored values back and forgets all pending changes.
  func rollback() {
    pendingErrors.removeAll()
    discardedEdits = [:]
    displacedLinks.removeAll()
    for watcher in watchers.all { watcher.didRollBack() }
    externalChanges.forgetContested()
    let inserted = Array(changes.inserted)
    let touched = changes.changed.savedValues + changes.deleted.savedValues
    let models = inserted.map(\.model) + touched.map(\.storage.model)
    changes.removeAll()
    for storage in inserted { storage.leaveContext() }
    for storage in inserted { weakenPartners(of: storage) }
    hasLostModels = false
    for (storage, saved) in touched {
      storage.notifyingObserversOfAll { saved.restore(to: storage) }
    }
    // What was kept may list models that another context has deleted since.
    if !touched.isEmpty { dropGoneMembers() }
    applyExternalChanges()
    identities._invariantCheck(in: self)
    withExtendedLifetime(models) {}
  }

  /// Frees an unsaved graph once no other owner is left.
  func weakenPartners(of storage: _ModelStorage) {
    storage.weakenPartners { slot in
      guard let link = storage.descriptor.link(slot, in: coordinator),
        let inverse = link.inverseSlot
      else { return false }
      return link.destination.properties[inverse].isToMany
    }
  }
}
