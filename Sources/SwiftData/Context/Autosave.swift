import Foundation

/// Saves a context a short time after its first change.
///
/// 1. *Waiting*: the first edit starts the timer.
/// 2. *Scheduled*: further edits cost nothing; one save stores all of them. The context of a model
///    actor, and its executor, are retained, so that an actor that is released now is saved too.
/// 3. The timer fires: a separate job on the context's actor saves the context and waits again. A
///    failed save leaves the changes pending, and the next edit starts the timer again. There is no
///    retry without an edit: a broken rule stays broken, SQLite has already waited for locks, and
///    each attempt calls the observers of saves. The error handler may call `save()`.
///
/// The context's actor guards all state: the timer's task and `settle` access it only in a job on
/// that actor. The `watchers` own it until the context closes.
final class Autosave: EditWatcher, @unchecked Sendable {
  static let defaultDelay = Duration.milliseconds(100)

  /// The time from the first change to the save.
  var delay = Autosave.defaultDelay
  /// Called with the error of a failed autosave.
  var errorHandler: ((any Error) -> Void)?
  private(set) var isEnabled = false
  private var clock: Task<Void, Never>?
  /// The context of a model actor and its executor while the timer runs. A cycle, which the save ends.
  private var retained: (context: ModelContext, executor: any SerialExecutor)?
  /// Whether an edit was made where no actor is known that could run the save.
  private var hasNoExecutor = false
  /// Changes made by the save itself are not edits: after a failed save they would start another
  /// one.
  private var isSaving = false
  private let context: ContextReference
  private let watchers: EditWatchers
  private let isolation: ContextIsolation
  private let registry: AutosaveRegistry

  init(
    _ context: ModelContext, _ watchers: EditWatchers, _ isolation: ContextIsolation,
    _ registry: AutosaveRegistry
  ) {
    self.context = ContextReference(context)
    self.watchers = watchers
    self.isolation = isolation
    self.registry = registry
  }

  /// Whether the next edit must start the timer.
  var wantsEdits: Bool { isEnabled && clock == nil && !hasNoExecutor && !isSaving }

  private var hasChanges: Bool { context.context?.hasChanges ?? false }

  func enable() {
    guard !isEnabled else { return }
    isEnabled = true
    if hasChanges { noteEdit() }
    watchers.update()
  }

  func disable() {
    isEnabled = false
    hasNoExecutor = false
    stop()
  }

  private func noteEdit() {
    guard wantsEdits, let face = context.context else { return }
    guard let executor = isolation.current else {
      hasNoExecutor = true
      registry.noteNoActor()
      return watchers.update()
    }
    registry.add(self, executor: executor, context: context)
    retained = executor.ofModelActor.map { (face, $0) }
    clock = Task.detached { [weak self, delay] in
      do {
        try await Task.sleep(for: delay)
        try await executor.run { [weak self] in self?.clockRanOut() }
      } catch {}  // cancelled
    }
    watchers.update()
  }

  private func stop() {
    stopClock()
    registry.remove(self)
    watchers.update()
  }

  private func stopClock() {
    clock?.cancel()
    clock = nil
    retained = nil
  }

  private func clockRanOut() {
    // The error handler may use the context.
    let face = context.context
    defer { withExtendedLifetime(face) {} }
    do {
      try saveNow()
    } catch {
      if let errorHandler { errorHandler(error) } else { AutosaveLog.noteFailure(error) }
    }
  }

  /// Saves the pending changes; called on the context's actor.
  func saveNow() throws {
    let face = context.context
    stopClock()
    guard isEnabled, let face else { return }
    // A save that waits in a run loop has called this: the timer starts again.
    if face.isSaving { return noteEdit() }
    isSaving = true
    defer {
      isSaving = false
      watchers.update()
    }
    try face.save()
    isSaving = false
    // Observers of the save may have made new changes.
    if hasChanges { noteEdit() }
  }

  // MARK: EditWatcher

  func willEdit(_ storage: _ModelStorage, slot: Int) { noteEdit() }

  func willInsert(_ storage: _ModelStorage) { noteEdit() }

  func willDelete(_ storage: _ModelStorage) { noteEdit() }

  func didRefuseEdit() { noteEdit() }

  func didSave(_ saved: SavedChanges?) {
    if saved == nil { return }
    noteNothingPending()
    // Edits from while the save wrote.
    if hasChanges { noteEdit() }
  }

  func willRollBack(_ changes: ChangeTracker) { noteNothingPending() }

  private func noteNothingPending() {
    // The next edit may come from another thread.
    let hadNoExecutor = hasNoExecutor
    hasNoExecutor = false
    if clock != nil { stop() }
    registry.remove(self)
    if hadNoExecutor { watchers.update() }
  }

  /// A timer that was started for another actor starts again.
  func executorDidChange() {
    hasNoExecutor = false
    guard isEnabled else { return }
    stop()
    if hasChanges { noteEdit() }
  }

  func willClose(losing changes: ChangeTracker) {
    disable()
  }
}
