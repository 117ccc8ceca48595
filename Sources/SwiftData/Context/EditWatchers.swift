/// Observes the edits of a context; for example the undo recorder and autosave.
///
/// A watcher is added when its feature is switched on, and removed when it is switched off or the
/// context closes. It is called on the thread of the context only.
protocol EditWatcher: AnyObject {
  /// Whether the next edit must be reported. Reads only the watcher's own state. A watcher whose
  /// answer changes calls `EditWatchers.update()`.
  var wantsEdits: Bool { get }
  /// Whether a batch deletion must delete model by model, so that each deletion is reported.
  var needsEachDeletion: Bool { get }

  /// A slot of a registered model is about to change.
  func willEdit(_ storage: _ModelStorage, slot: Int)
  /// The members of a list have changed; called after `willEdit` of its slot.
  func didEditMembers(_ edit: ToManyEdits.Edit, of storage: _ModelStorage, slot: Int)
  /// A model is about to be added to the unit of work.
  func willInsert(_ storage: _ModelStorage)
  /// A model is about to be deleted or removed from the unit of work.
  func willDelete(_ storage: _ModelStorage)
  /// An edit was refused: the next save throws.
  func didRefuseEdit()
  /// The changes since the last call are one event.
  func endEvent()

  /// A save begins; changes made by its delete rules are not edits of the user.
  func willSave()
  /// Whether `didMerge` needs the links.
  var needsEarlierLinks: Bool { get }
  /// A save has made a new model an instance of a row that was stored before, and is about to show that row.
  /// - Parameters:
  ///   - links: Where the row led before; `nil` if that is not known.
  ///   - newMembers: The members that lists have gained, where they or their owners are the row; `nil` if not known.
  func didMerge(
    _ storage: _ModelStorage, _ links: SaveConsequences.EarlierLinks?,
    _ newMembers: [SaveConsequences.NewMember]?)
  /// A save has taken a member from a list without an inverse, because another owner had gained it.
  func didTake(_ taking: SaveConsequences.Taking)
  /// Whether `didSave` needs the saved changes.
  var wantsSavedChanges: Bool { get }
  /// A save has ended. If it stored everything, nothing is pending.
  /// - Parameter saved: `nil` if the save failed; empty if no watcher needs the changes.
  func didSave(_ saved: SavedChanges?)
  /// All pending changes are about to be discarded.
  func willRollBack(_ changes: ChangeTracker)
  /// A transaction has failed, and the effects of its saves on models were undone.
  /// - Parameter models: Those that it had saved for the first time, or deleted.
  func didUndo(_ saved: SavedChanges, of models: [_ModelStorage])
  /// Changes saved by other contexts, or made by a batch deletion, have been applied.
  /// - Parameter lost: Models of this context whose rows were deleted.
  func didApply(_ saved: SavedChanges, lost: [_ModelStorage])
  /// A relationship has lost models that left the context, or was restored after a failed save. That is not
  /// an edit of the user.
  func didChangeReferences(of storage: _ModelStorage, slot: Int)
  /// The user has ended an event.
  func didProcessPendingChanges()
  /// The actor of the context is known now, or has changed.
  func executorDidChange()
  /// The context is deinitialised; `changes` are lost.
  func willClose(losing changes: ChangeTracker)
}

extension EditWatcher {
  var needsEachDeletion: Bool { false }
  var wantsSavedChanges: Bool { false }
  var needsEarlierLinks: Bool { false }
  func didMerge(
    _ storage: _ModelStorage, _ links: SaveConsequences.EarlierLinks?,
    _ newMembers: [SaveConsequences.NewMember]?
  ) {}
  func didTake(_ taking: SaveConsequences.Taking) {}
  func didEditMembers(_ edit: ToManyEdits.Edit, of storage: _ModelStorage, slot: Int) {}
  func didRefuseEdit() {}
  func endEvent() {}
  func willSave() {}
  func didApply(_ saved: SavedChanges, lost: [_ModelStorage]) {}
  func didUndo(_ saved: SavedChanges, of models: [_ModelStorage]) {}
  func didChangeReferences(of storage: _ModelStorage, slot: Int) {}
  func didProcessPendingChanges() {}
  func executorDidChange() {}
}

/// The watchers of a context, in the order in which they were added.
///
/// While no watcher wants edits, an edit costs one test of `isActive`. Guarded by the rule that a
/// context is used on one thread. Calls iterate over a copy of the list, so a watcher may add and
/// remove watchers.
///
/// The properties are not checked for exclusive access, which would cost time on each edit. Safe:
/// changing them calls no other code, except `wantsEdits`.
final class EditWatchers {
  @exclusivity(unchecked) private(set) var all: [any EditWatcher] = []
  /// Whether any watcher wants the next edit.
  @exclusivity(unchecked) private(set) var isActive = false

  /// What is edited while a save writes.
  private let late = LateEdits()

  /// The watcher of a type; there is at most one.
  func first<W: EditWatcher>(_ kind: W.Type) -> W? {
    for watcher in all { if let watcher = watcher as? W { return watcher } }
    return nil
  }

  func add(_ watcher: any EditWatcher) {
    all.append(watcher)
    update()
  }

  func remove(_ watcher: any EditWatcher) {
    all.removeAll { $0 === watcher }
    update()
  }

  /// Updates whether any watcher wants the next edit.
  func update() { isActive = late.isRecording || all.contains(where: \.wantsEdits) }

  // MARK: Edits

  func willEdit(_ storage: _ModelStorage, slot: Int) {
    if late.isRecording { late.note(storage, slot: slot) }
    for watcher in all { watcher.willEdit(storage, slot: slot) }
  }

  func didEditMembers(_ edit: ToManyEdits.Edit, of storage: _ModelStorage, slot: Int) {
    if late.isRecording { late.note(edit, of: storage, slot: slot) }
    for watcher in all { watcher.didEditMembers(edit, of: storage, slot: slot) }
  }

  func willInsert(_ storage: _ModelStorage) {
    if late.isRecording { late.noteInsertion() }
    for watcher in all { watcher.willInsert(storage) }
  }

  func willDelete(_ storage: _ModelStorage) {
    for watcher in all { watcher.willDelete(storage) }
  }

  func didRefuseEdit() {
    for watcher in all { watcher.didRefuseEdit() }
  }

  /// Ends an event: the changes since the last one are one undo step.
  func endEvent() {
    for watcher in all { watcher.endEvent() }
  }

  // MARK: Saves and external changes

  /// A save is about to collect the changes.
  func beginLateEdits(_ changes: ChangeTracker) {
    late.begin(changes)
    isActive = true
  }

  /// What was edited since `beginLateEdits`; `nil` if nothing was. Ends the recording.
  func takeLateEdits(_ changes: ChangeTracker) -> LateEdits.Taken? {
    defer { update() }
    return late.take(changes)
  }

  /// An attempt to save has ended.
  func endLateEdits() {
    guard late.isRecording else { return }
    late.end()
    update()
  }

  var needEarlierLinks: Bool { all.contains(where: \.needsEarlierLinks) }

  func didMerge(
    _ storage: _ModelStorage, _ links: SaveConsequences.EarlierLinks?,
    _ newMembers: [SaveConsequences.NewMember]?
  ) {
    for watcher in all { watcher.didMerge(storage, links, newMembers) }
  }

  func didTake(_ taking: SaveConsequences.Taking) {
    for watcher in all { watcher.didTake(taking) }
  }

  var wantSavedChanges: Bool { all.contains(where: \.wantsSavedChanges) }

  /// Runs a save between the watchers' `willSave` and `didSave`.
  func notingSave(_ save: () throws -> SaveSession.Saved) rethrows -> SaveSession.Saved {
    for watcher in all { watcher.willSave() }
    var saved: SaveSession.Saved?
    defer { didSave(saved?.note) }
    do {
      let stored = try save()
      saved = stored
      return stored
    } catch let partial as SaveSession.PartialCommit {
      didApply(.everything, lost: [])
      throw partial
    }
  }

  func didSave(_ saved: SavedChanges?) {
    for watcher in all { watcher.didSave(saved) }
  }

  func willRollBack(_ changes: ChangeTracker) {
    for watcher in all { watcher.willRollBack(changes) }
  }

  func didUndo(_ saved: SavedChanges, of models: [_ModelStorage]) {
    for watcher in all { watcher.didUndo(saved, of: models) }
  }

  func didApply(_ saved: SavedChanges, lost: [_ModelStorage]) {
    for watcher in all { watcher.didApply(saved, lost: lost) }
  }

  func didChangeReferences(of storage: _ModelStorage, slot: Int) {
    for watcher in all { watcher.didChangeReferences(of: storage, slot: slot) }
  }

  func didProcessPendingChanges() {
    for watcher in all { watcher.didProcessPendingChanges() }
  }

  func executorDidChange() {
    for watcher in all { watcher.executorDidChange() }
  }

  /// The context is deinitialised.
  func close(losing changes: ChangeTracker) {
    for watcher in all { watcher.willClose(losing: changes) }
    all = []
    update()
  }
}
