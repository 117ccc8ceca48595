import OpenSwiftDataCSQLite

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
    transactionKind = kind
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
    if hasMoved {
      throw SQLiteError(
        extendedCode: SQLiteError.movedFile,
        message: "the file was deleted, moved or replaced while it was open", path: path)
    }
    try checkLogBeforeWriting()
  }

  package func commit() throws {
    if let enclosing { return try commit(in: enclosing) }
    try checkLogBeforeCommit()
    try prepare("COMMIT").run()
    // A deferred transaction, as of a look for remote commits, has seen those of others unchecked.
    if transactionKind == .immediate { noteOwnCommit() }
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
