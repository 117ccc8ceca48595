import Foundation

extension ContextCore {
  func save() throws {
    if let error = pendingError {
      pendingError = nil
      throw error
    }
    guard !changes.isEmpty else { return }
    if let face {
      NotificationCenter.default.post(name: ModelContext.willSave, object: face)
    }
    var session = SaveSession(core: self)
    let saved = try session.run()
    guard let face else { return }
    NotificationCenter.default.post(
      name: ModelContext.didSave, object: face, userInfo: saved.userInfo)
  }

  /// Gives live models their stored values back and forgets all pending changes.
  func rollback() {
    pendingError = nil
    let inserted = Array(changes.inserted)
    let touched = Array(changes.changed) + Array(changes.deleted)
    let models = (inserted + touched).map(\.model)
    changes.removeAll()
    for storage in inserted {
      storage.knownIdentifier?.temporaryScope?.end(permanent: nil)
      storage.source = nil
      storage.changedSlots = SlotSet()
    }
    for storage in touched {
      storage.notifyingObserversOfAll {
        storage.changedSlots = SlotSet()
        storage.overlay = nil
        if storage.row == nil { storage.flags.insert(.isFault) }
      }
    }
    withExtendedLifetime(models) {}
  }
}
