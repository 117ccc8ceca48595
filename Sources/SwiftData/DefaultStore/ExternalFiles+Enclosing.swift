package import OpenSwiftDataSQLiteEngine
import Synchronization

/// The files beside a store while one transaction encloses all others: that of a migration.
///
/// Inner transactions settle nothing. Names they have added and lost are kept until the enclosing one
/// ends, and only names: the values are on the disk. `EnclosedWork` calls these in their order.
extension ExternalFiles {
  /// From here on nothing is removed that a row had before.
  package func beginEnclosing() { state.withLock { $0.isEnclosed = true } }

  /// To be called before the enclosing transaction commits: puts the names that rows have lost into the
  /// journal. A name that a row still has, because a change of tables has moved it, is not lost.
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

  /// The enclosing transaction has committed: removes the files of lost names.
  package func commitEnclosing() {
    state.withLock { state in
      state.isEnclosed = false
      settle(state.endTransaction(), &state)
    }
  }

  /// The enclosing transaction was undone: removes all files that were added in it.
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
