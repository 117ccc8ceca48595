import OpenSwiftDataCSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// When a transaction takes the write lock.
package enum TransactionKind: String, Sendable {
  /// At the first statement that writes; reads see one state until the end.
  case deferred = "DEFERRED"

  /// At once, so that no later statement of the transaction fails because of a lock.
  case immediate = "IMMEDIATE"
}

extension Connection {
  /// Begins a transaction, which `commit` or `rollback` ends. If an enclosing transaction is open,
  /// begins a savepoint in it.
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

  /// Throws if the path no longer leads to the open file: what is written to it would be lost.
  private func checkFileBeforeWriting() throws {
    var hasMoved: Int32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    if hasMoved != 0 {
      throw SQLiteError(
        extendedCode: SQLiteError.movedFile,
        message: "the file was deleted, moved or replaced while it was open", path: path)
    }
    try checkLogBeforeWriting()
  }

  /// Throws if the log that this connection writes is no longer beside the file: others would not read it.
  /// A log exists as long as a connection uses it.
  private func checkLogBeforeWriting() throws {
    guard let file = sqlite3_db_filename(handle, "main"), file.pointee != 0,
      let log = sqlite3_filename_wal(file)
    else { return }
    var status = stat()
    let number = stat(log, &status) == 0 ? UInt64(truncatingIfNeeded: status.st_ino) : nil
    guard let known = logNumber else {
      logNumber = number
      return
    }
    if number == known { return }
    throw SQLiteError(
      extendedCode: SQLiteError.movedFile,
      message: "the log of the file was deleted, moved or replaced while it was open", path: path)
  }

  package func commit() throws {
    if let enclosing { return try commit(in: enclosing) }
    try prepare("COMMIT").run()
    noteOwnCommit()
  }

  /// Rolls back the running transaction.
  ///
  /// SQLite may already have rolled back by itself, for example on a full disk.
  package func rollback() {
    rollbackCount += 1
    if let enclosing { return rollback(in: enclosing) }
    if isInTransaction { try? prepare("ROLLBACK").run() }
  }

  /// Commits the changes of `body`, or rolls all of them back if `body` or the commit throws.
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

  /// Runs reads that see one state of the database, in the running transaction or a new one.
  package func snapshot<R>(_ body: () throws -> R) throws -> R {
    if let enclosing { try requireWhole(enclosing) }
    return try isInTransaction ? body() : transaction(.deferred, body)
  }

  /// Keeps the changes of `body` in the running transaction, or undoes them if `body` throws.
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
