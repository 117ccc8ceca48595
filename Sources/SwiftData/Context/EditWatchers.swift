/// Something that follows the edits of a context, such as the undo recorder and autosave.
///
/// A watcher is added when its feature is switched on and removed when it is switched off or the
/// context closes. It is called on the thread of the context only.
protocol EditWatcher: AnyObject {
  /// Whether the next edit has to be reported; reads the watcher's own state only. A watcher whose
  /// answer changes calls `ContextCore.updateWatchers()`.
  var wantsEdits: Bool { get }
  /// Whether a batch deletion has to go through the models, so that each one is reported.
  var needsEachDeletion: Bool { get }

  /// A slot of a registered model is about to change.
  func willEdit(_ storage: _ModelStorage, slot: Int)
  /// The members of a list have changed, after `willEdit` of its slot.
  func didEditMembers(_ edit: ToManyEdits.Edit, of storage: _ModelStorage, slot: Int)
  /// A model is about to become part of the unit of work.
  func willArrive(_ storage: _ModelStorage)
  /// A model is about to be deleted, or to leave the unit of work.
  func willDepart(_ storage: _ModelStorage)
  /// What was changed since the last call is one event.
  func endEvent()

  /// A save begins; what its delete rules change are no edits of the user.
  func willSave()
  /// Whether `didSave` has to be told what was saved.
  var wantsSavedChanges: Bool { get }
  /// A save has ended. After one that stored everything nothing is pending any more.
  /// - Parameter saved: `nil` where the save failed; empty where nobody wants to know.
  func didSave(_ saved: SavedChanges?)
  /// All pending changes were discarded.
  func didRollBack()
  /// What other contexts have saved, or a batch deletion has removed, has been applied.
  /// - Parameter lost: Models of this context whose rows were deleted.
  func didApply(_ saved: SavedChanges, lost: [_ModelStorage])
  /// The user has ended an event.
  func didProcessPendingChanges()
  /// The context became part of an actor.
  func executorDidChange()
  /// The context is deinitialised; `changes` are lost.
  func willClose(losing changes: ChangeTracker)
}

extension EditWatcher {
  var needsEachDeletion: Bool { false }
  var wantsSavedChanges: Bool { false }
  func didEditMembers(_ edit: ToManyEdits.Edit, of storage: _ModelStorage, slot: Int) {}
  func endEvent() {}
  func willSave() {}
  func didApply(_ saved: SavedChanges, lost: [_ModelStorage]) {}
  func didProcessPendingChanges() {}
  func executorDidChange() {}
}

/// The watchers of a context, in the order in which they were added.
///
/// It costs an edit one test of `isActive` while no watcher wants to know. Guarded by the rule that
/// a context is used on one thread; a call iterates over a copy of the list, so a watcher may add
/// and remove watchers.
struct EditWatchers {
  private(set) var all: [any EditWatcher] = []
  /// Whether any watcher wants the next edit.
  private(set) var isActive = false

  /// The watcher of a kind, of which there is at most one.
  func first<W: EditWatcher>(_ kind: W.Type) -> W? {
    for watcher in all { if let watcher = watcher as? W { return watcher } }
    return nil
  }

  mutating func add(_ watcher: any EditWatcher) {
    all.append(watcher)
    update()
  }

  mutating func remove(_ watcher: any EditWatcher) {
    all.removeAll { $0 === watcher }
    update()
  }

  mutating func removeAll() {
    all = []
    update()
  }

  mutating func update() { isActive = all.contains(where: \.wantsEdits) }
}

extension ContextCore {
  /// Asks the watchers again whether they want the next edit.
  func updateWatchers() { watchers.update() }

  func noteEdit(of storage: _ModelStorage, slot: Int) {
    for watcher in watchers.all { watcher.willEdit(storage, slot: slot) }
  }

  func noteMembers(_ edit: ToManyEdits.Edit, of storage: _ModelStorage, slot: Int) {
    for watcher in watchers.all { watcher.didEditMembers(edit, of: storage, slot: slot) }
  }

  func noteArrival(of storage: _ModelStorage) {
    for watcher in watchers.all { watcher.willArrive(storage) }
  }

  func noteDeparture(of storage: _ModelStorage) {
    for watcher in watchers.all { watcher.willDepart(storage) }
  }

  /// Ends an event: what was changed since the last one is one step for the undo manager.
  func endEvent() {
    for watcher in watchers.all { watcher.endEvent() }
  }

  /// Runs a save between `willSave` and `didSave`.
  func notingSave(_ save: () throws -> SaveSession.Saved) rethrows -> SaveSession.Saved {
    for watcher in watchers.all { watcher.willSave() }
    var saved: SaveSession.Saved?
    defer { for watcher in watchers.all { watcher.didSave(saved?.note) } }
    let stored = try save()
    saved = stored
    return stored
  }

  func closeWatchers() {
    for watcher in watchers.all { watcher.willClose(losing: changes) }
    watchers.removeAll()
  }
}
