import Foundation

extension ContextCore {
  func save() throws {
    catchUp()
    if let error = pendingError {
      pendingError = nil
      throw error
    }
    guard !changes.isEmpty else {
      autosave?.noteSaved()
      return processPendingChanges()
    }
    if let face {
      NotificationCenter.default.post(name: ModelContext.willSave, object: face)
    }
    processPendingChanges()
    let saved = try withoutRecording {
      var session = SaveSession(core: self)
      return try session.run()
    }
    autosave?.noteSaved()
    guard let face else { return }
    NotificationCenter.default.post(
      name: ModelContext.didSave, object: face, userInfo: saved.userInfo)
    if !saved.overwritten.isEmpty {
      NotificationCenter.default.post(
        name: ModelContext.didOverwrite, object: face,
        userInfo: [ModelContext.overwrittenPropertiesKey: saved.overwritten])
    }
  }

  /// Gives live models their stored values back and forgets all pending changes.
  func rollback() {
    pendingError = nil
    undo?.forgetAll()
    autosave?.noteSaved()
    savesElsewhere.forgetContested()
    let inserted = Array(changes.inserted)
    let touched = changes.changed.savedValues + changes.deleted.savedValues
    let models = inserted.map(\.model) + touched.map(\.storage.model)
    changes.removeAll()
    for storage in inserted {
      storage.knownIdentifier?.temporaryScope?.end(permanent: nil)
      storage.source = nil
      storage.changedSlots = SlotSet()
    }
    for storage in inserted { weakenPartners(of: storage) }
    hasLostModels = false
    for (storage, saved) in touched {
      storage.notifyingObserversOfAll { saved.restore(to: storage) }
    }
    // What was kept may list models that another context has deleted since.
    if !touched.isEmpty { dropGoneMembers() }
    catchUp()
    withExtendedLifetime(models) {}
  }

  /// Lets a graph that nobody saved go when nobody else holds it.
  func weakenPartners(of storage: _ModelStorage) {
    storage.weakenPartners { slot in
      guard let link = storage.descriptor.link(slot, in: coordinator),
        let inverse = link.inverseSlot
      else { return false }
      return link.destination.properties[inverse].isToMany
    }
  }
}
