import OpenSwiftDataCSQLite

/// When a transaction takes the write lock.
package enum TransactionKind: String, Sendable {
  /// With the first writing statement; reads see one state until the end.
  case deferred = "DEFERRED"

  /// At once, so that no later statement of it fails for a lock.
  case immediate = "IMMEDIATE"
}

extension Connection {
  /// Begins a transaction, which `commit` or `rollback` ends; one within the enclosing transaction
  /// where that is open.
  package func begin(_ kind: TransactionKind) throws {
    if let enclosing { return try begin(in: enclosing) }
    try prepare("BEGIN \(kind.rawValue)").run()
    guard kind == .immediate else { return }
    do {
      try checkFileBeforeWriting()
      try checkSchemaBeforeWriting()
    } catch {
      rollback()
      throw error
    }
  }

  /// What is written to a file that its path does not lead to any more is lost.
  private func checkFileBeforeWriting() throws {
    var hasMoved: Int32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    guard hasMoved != 0 else { return }
    throw SQLiteError(
      extendedCode: SQLiteError.movedFile,
      message: "the file was deleted, moved or replaced while it was open", path: path)
  }

  package func commit() throws {
    if let enclosing { return try commit(in: enclosing) }
    try prepare("COMMIT").run()
    noteOwnCommit()
  }

  /// Takes back what the running transaction did.
  ///
  /// A full disk and some other errors have rolled back already.
  package func rollback() {
    rollbackCount += 1
    if let enclosing { return rollback(in: enclosing) }
    if isInTransaction { try? prepare("ROLLBACK").run() }
  }

  /// Commits what `body` did, or rolls all of it back when `body` or the commit throws.
  package func transaction<R>(
    _ kind: TransactionKind = .immediate, _ body: () throws -> R
  ) throws -> R {
    try begin(kind)
    do {
      let result = try body()
      try commit()
      return result
    } catch {
      rollback()
      throw error
    }
  }

  /// Runs reads that see one state of the database, within the running transaction or one of their own.
  package func snapshot<R>(_ body: () throws -> R) throws -> R {
    if let enclosing { try requireWhole(enclosing) }
    return try isInTransaction ? body() : transaction(.deferred, body)
  }

  /// Keeps what `body` did within the running transaction, or undoes it when `body` throws.
  package func savepoint<R>(_ name: String, _ body: () throws -> R) throws -> R {
    let quoted =
      "\""
      + name.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\"\"") + "\""
    try prepare("SAVEPOINT \(quoted)").run()
    do {
      let result = try body()
      try prepare("RELEASE \(quoted)").run()
      return result
    } catch {
      rollbackCount += 1
      if isInTransaction {
        try? prepare("ROLLBACK TO \(quoted)").run()
        try? prepare("RELEASE \(quoted)").run()
      }
      throw error
    }
  }
}
