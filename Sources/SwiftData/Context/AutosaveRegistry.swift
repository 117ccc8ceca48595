import Foundation
import Synchronization

/// The contexts of a container that have changes to autosave.
final class AutosaveRegistry: Sendable {
  private struct Entry {
    let autosave: Autosave
    let executor: ContextExecutor
    let context: ContextReference
  }

  private let entries = Mutex<[ObjectIdentifier: Entry]>([:])
  /// Whether a store outlives the program, so that unsaved changes are lost when the program ends.
  private let outlivesProgram: Bool
  private let hasReportedNoActor = Atomic(false)

  init(outlivesProgram: Bool) { self.outlivesProgram = outlivesProgram }

  func add(_ autosave: Autosave, executor: ContextExecutor, context: ContextReference) {
    let entry = Entry(autosave: autosave, executor: executor, context: context)
    let isNew = entries.withLock {
      $0.updateValue(entry, forKey: ObjectIdentifier(autosave)) == nil
    }
    guard outlivesProgram else { return }
    if isNew { AutosaveLog.unsaved.add(1, ordering: .relaxed) }
    AutosaveLog.warnAtExit
  }

  func remove(_ autosave: Autosave) {
    let wasThere = entries.withLock { $0.removeValue(forKey: ObjectIdentifier(autosave)) != nil }
    if wasThere, outlivesProgram { AutosaveLog.unsaved.subtract(1, ordering: .relaxed) }
  }

  /// An edit was made in a context without an actor. A server may have one context for each request.
  func noteNoActor() {
    if !hasReportedNoActor.exchange(true, ordering: .relaxed) { AutosaveLog.noteNoActor() }
  }

  /// Saves all of them, each on its actor.
  /// - Throws: The first error, after all saves have been attempted.
  func settle() async throws {
    var failure: (any Error)?
    for entry in entries.withLock({ Array($0.values) }) {
      do {
        try await entry.executor.run {
          guard entry.context.context != nil else { return }
          try entry.autosave.saveNow()
        }
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }
}

/// Warnings on standard error about errors and lost changes that no caller receives.
enum AutosaveLog {
  /// The number of contexts with changes to autosave, in the whole process.
  static let unsaved = Atomic<Int>(0)

  /// Warns at the end of the program about changes that autosave has not saved. The first access
  /// registers it.
  static let warnAtExit: Void = {
    atexit {
      let count = AutosaveLog.unsaved.load(ordering: .relaxed)
      guard count > 0 else { return }
      WarningLog.write(
        "The program ends before autosave saves \(count) context\(count == 1 ? "" : "s"). Call "
          + "save(), or await ModelContainer.settle() first.")
    }
    return ()
  }()

  static func noteFailure(_ error: any Error) {
    WarningLog.write(
      "Autosave failed; the changes stay unsaved. Set ModelContext.autosaveErrorHandler to handle "
        + "this. \(error)")
  }

  static func noteNoActor() {
    WarningLog.write(
      "Autosave needs a context of the main actor or of a model actor; call save() explicitly. Further contexts "
        + "of this container are not reported.")
  }
}
