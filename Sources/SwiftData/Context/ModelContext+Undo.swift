import Foundation

extension ModelContext {
  /// Where changes are recorded for undo; nil, and nothing is recorded, unless it is set.
  ///
  /// Insertions, deletions, and edits of attributes and relationships are one step of the undo
  /// manager per event. An event ends with ``processPendingChanges()``, with a save, where the
  /// manager opens or closes a group, and before it undoes or redoes. On the main actor and in model
  /// actors it also ends at the next gap in the code of the actor, which an `await` is.
  ///
  /// ```swift
  /// context.undoManager = UndoManager()
  /// trip.name = "Porto"
  /// context.undoManager?.undo()
  /// ```
  ///
  /// An undo is a change like any other, to be saved. It can lead back behind a save: models whose
  /// deletion was saved are inserted again, as the same instances with new identifiers. ``rollback()``
  /// takes all steps of the context from the manager. Several contexts may share one.
  public var undoManager: UndoManager? {
    get { core.watchers.first(UndoRecorder.self)?.manager }
    set {
      let known = core.watchers.first(UndoRecorder.self)
      guard newValue !== known?.manager else { return }
      if let known {
        known.end()
        core.watchers.remove(known)
      }
      if let newValue { core.watchers.add(UndoRecorder(core: core, manager: newValue)) }
    }
  }

  /// Ends an event: what was changed since the last one becomes one step of ``undoManager``. Then
  /// applies what other contexts saved.
  ///
  /// Relationships and lists of changes follow each edit at once, so nothing else is left to do.
  public func processPendingChanges() {
    core.endEvent()
    core.applyExternalChanges()
    for watcher in core.watchers.all { watcher.didProcessPendingChanges() }
  }
}
