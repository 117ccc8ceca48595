import Foundation

/// Saves a context a short time after its first change.
///
/// 1. *Waiting*: the first edit starts the clock.
/// 2. *Scheduled*: further edits cost nothing; all of them are one save.
/// 3. The clock runs out: the context is saved by a job of its own on its actor, and waits again.
///    A save that fails leaves the changes pending; the next edit starts the clock again. It is not
///    tried again by itself: a broken rule stays broken until an edit, SQLite has waited for a
///    lock already, and an attempt runs the observers of saves. The error handler may call `save()`.
///
/// State is guarded by the rule that a context belongs to one actor: the clock's task and `settle`
/// touch it in a job on that actor only.
final class Autosave: EditWatcher, @unchecked Sendable {
  static let defaultDelay = Duration.milliseconds(100)

  /// The time from the first change to the save.
  var delay = Autosave.defaultDelay
  /// Called with the error of an autosave.
  var errorHandler: ((any Error) -> Void)?
  private(set) var isEnabled = false
  private var clock: Task<Void, Never>?
  /// Whether edits are made where no actor is known that could run the save.
  private var hasNoExecutor = false
  /// What a save changes by itself is no edit; an attempt that failed would lead to the next one.
  private var isSaving = false
  private weak var core: ContextCore?
  private let registry: AutosaveRegistry

  init(core: ContextCore) {
    self.core = core
    registry = core.coordinator.autosaves
  }

  /// Whether the next edit has to start the clock.
  var wantsEdits: Bool { isEnabled && clock == nil && !hasNoExecutor && !isSaving }

  func enable() {
    guard !isEnabled else { return }
    isEnabled = true
    if core?.changes.isEmpty == false { noteEdit() }
    core?.updateWatchers()
  }

  func disable() {
    isEnabled = false
    stop()
  }

  private func noteEdit() {
    guard wantsEdits, let core, let context = core.face else { return }
    guard let executor = core.currentExecutor else {
      hasNoExecutor = true
      AutosaveLog.noteNoActor()
      return core.updateWatchers()
    }
    registry.add(self, executor: executor, context: ContextReference(context))
    clock = Task.detached { [weak self, delay] in
      do {
        try await Task.sleep(for: delay)
        try await executor.run { [weak self] in self?.clockRanOut() }
      } catch {}  // cancelled
    }
    core.updateWatchers()
  }

  private func stop() {
    clock?.cancel()
    clock = nil
    registry.remove(self)
    core?.updateWatchers()
  }

  private func clockRanOut() {
    do {
      try saveNow()
    } catch {
      if let errorHandler { errorHandler(error) } else { AutosaveLog.noteFailure(error) }
    }
  }

  /// Saves what is pending, on the actor of the context.
  func saveNow() throws {
    clock?.cancel()
    clock = nil
    guard isEnabled, let core, let context = core.face else { return }
    isSaving = true
    defer {
      isSaving = false
      core.updateWatchers()
    }
    try withExtendedLifetime(context) { try core.save() }
    isSaving = false
    // An observer of the save may have changed something again.
    if !core.changes.isEmpty { noteEdit() }
  }

  // MARK: EditWatcher

  func willEdit(_ storage: _ModelStorage, slot: Int) { noteEdit() }

  func willArrive(_ storage: _ModelStorage) { noteEdit() }

  func willDepart(_ storage: _ModelStorage) { noteEdit() }

  func didSave(_ saved: SavedChanges?) {
    if saved != nil { noteNothingPending() }
  }

  func didRollBack() { noteNothingPending() }

  private func noteNothingPending() {
    if clock != nil { stop() }
    registry.remove(self)
  }

  /// A clock that was started for another actor starts again.
  func executorDidChange() {
    hasNoExecutor = false
    guard isEnabled else { return }
    stop()
    if core?.changes.isEmpty == false { noteEdit() }
  }

  func willClose(losing changes: ChangeTracker) {
    disable()
  }
}
