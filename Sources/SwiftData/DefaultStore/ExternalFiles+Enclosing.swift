package import OpenSwiftDataSQLiteEngine
import Synchronization

/// External files while one transaction encloses all others, as in a migration.
///
/// Inner transactions remove no files. The names that they add and drop are kept until the
/// enclosing transaction ends; the values themselves are on disk. `EnclosedWork` calls these
/// functions in this order.
extension ExternalFiles {
  /// Begins: from here on, no file that a row referred to is removed.
  package func beginEnclosing() { state.withLock { $0.isEnclosed = true } }

  /// Called before the enclosing transaction commits: writes the names that rows no longer contain
  /// into the journal. A name that a change of tables has moved to another row is not included.
  /// - Throws: `SwiftDataError.storeWriteFailure`, or `SQLiteError`.
  package func willCommitEnclosing(_ connection: Connection) throws {
    var lost = state.withLock(\.changes.lost)
    if lost.isEmpty { return }
    var stored: Set<String> = []
    let candidates = Set(lost)
    try StoredName.forEach(in: connection) {
      if candidates.contains($0.name) { stored.insert($0.name) }
    }
    lost.removeAll { stored.contains($0) }
    state.withLock { $0.changes.lost = lost }
    try noteBeforeCommit(lost)
  }

  /// Called after the enclosing commit: removes the files of dropped names.
  package func commitEnclosing() {
    state.withLock { state in
      state.isEnclosed = false
      settle(state.endTransaction(), &state)
    }
  }

  /// Called after the enclosing rollback: removes all files that were added.
  /// - Parameter triedCommit: Whether a commit failed, so that it is not known what is stored.
  package func rollbackEnclosing(triedCommit: Bool = false) {
    state.withLock { state in
      state.isEnclosed = false
      var changes = Changes()
      while state.transactions.count > 1 { changes.added += state.endTransaction().added }
      changes.added += state.endTransaction().added
      undo(changes, isUncertain: triedCommit, &state)
    }
  }
}
