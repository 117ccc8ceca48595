/// Reports each edit to the undo recorder and to autosave.
extension ContextCore {
  func noteWatchers() {
    isWatched = undo != nil || autosave?.isWaiting == true
  }

  /// A slot of a registered model is about to change.
  func noteEdit(of storage: _ModelStorage, slot: Int) {
    undo?.noteEdit(of: storage, slot: slot)
    autosave?.noteEdit()
  }

  /// A model is about to become part of the unit of work.
  func noteArrival(of storage: _ModelStorage) {
    undo?.noteArrival(of: storage)
    autosave?.noteEdit()
  }

  /// A model is about to be deleted, or to leave the unit of work.
  func noteDeparture(of storage: _ModelStorage) {
    undo?.noteDeparture(of: storage)
    autosave?.noteEdit()
  }

  /// Whether a model is part of what the user sees: registered and not to be deleted.
  func has(_ storage: _ModelStorage) -> Bool {
    storage.source === self && storage.flags.isDisjoint(with: [.isDeleted, .isGone])
  }

  /// Ends an event: what was changed since the last one is one step for the undo manager.
  func processPendingChanges() {
    undo?.endEvent()
  }

  /// Runs what changes models on its own account: delete rules, which an undo derives again.
  func withoutRecording<R>(_ body: () throws -> R) rethrows -> R {
    guard let undo else { return try body() }
    undo.isPaused = true
    defer { undo.isPaused = false }
    return try body()
  }

  func closeWatchers() {
    undo?.end()
    autosave?.end(losing: changes)
    undo = nil
    autosave = nil
  }

  /// The actor that edits are made on now: the known one, or the main actor on its thread.
  var currentExecutor: ContextExecutor? { executor ?? ContextExecutor.current }
}
