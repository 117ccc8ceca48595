import OpenSwiftDataCSQLite

/// One transaction around all others of a connection, so that work with several saves is stored as
/// a whole or not at all: a migration, or a transaction of a context.
///
/// 1. `beginEnclosing` takes the write lock and keeps it to the end.
/// 2. Until then `begin`, `commit`, `rollback` and `transaction` use savepoints, at any depth.
/// 3. `commitEnclosing` commits everything, `rollbackEnclosing` nothing. A commit hook refuses all
///    other commits.
/// 4. SQLite may roll back by itself, for example when the disk is full. The next inner transaction
///    then throws, and so does `commitEnclosing`.
/// 5. A savepoint copies each page that is changed inside it. After `omitSavepointsInside` there are
///    none. An inner transaction that is rolled back after it has written then fails the whole, as in 4.
final class EnclosingTransaction {
  /// The number of open inner transactions.
  fileprivate(set) var depth = 0
  fileprivate var isCommitting = false
  /// An inner transaction could not be undone, so the whole must not be committed.
  fileprivate var isBroken = false
  /// Whether inner transactions have no savepoints.
  fileprivate var isIndivisible = false
  /// What the connection had changed when each open inner transaction began, if they have no savepoints.
  fileprivate var starts: [Int64] = []

  /// The savepoint at the current depth.
  fileprivate var savepoint: String { "\"enclosed \(depth)\"" }
}

extension Connection {
  /// Begins a transaction that contains all others of the connection.
  /// - Throws: `SQLiteError`: SQLITE_BUSY if another connection holds the write lock too long.
  /// - Parameter limit: How long to wait for another connection; `nil` for the connection's busy
  ///   timeout.
  package func beginEnclosing(waiting limit: Duration? = nil) throws {
    guard enclosing == nil, !isInTransaction else {
      throw SQLiteError(.misuse, message: "a transaction is open already", path: path)
    }
    try waiting(limit) { try begin(.immediate) }
    let enclosing = EnclosingTransaction()
    self.enclosing = enclosing
    // A statement outside a transaction commits by itself, and would do so after SQLite has rolled
    // back.
    sqlite3_commit_hook(
      handle,
      { context in
        guard let context else { return 0 }
        let enclosing = Unmanaged<EnclosingTransaction>.fromOpaque(context).takeUnretainedValue()
        return enclosing.isCommitting ? 0 : 1
      }, Unmanaged.passUnretained(enclosing).toOpaque())
  }

  /// Commits all changes since `beginEnclosing`.
  /// - Throws: `SQLiteError`; the caller must call `rollbackEnclosing` then.
  package func commitEnclosing() throws {
    guard let enclosing else {
      throw SQLiteError(.misuse, message: "no enclosing transaction is open", path: path)
    }
    try requireWhole(enclosing)
    guard enclosing.depth == 0 else {
      throw SQLiteError(.misuse, message: "a transaction is open inside", path: path)
    }
    enclosing.isCommitting = true
    defer { enclosing.isCommitting = false }
    try checkLogBeforeCommit()
    try prepare("COMMIT").run()
    endEnclosing()
    noteOwnCommit()
  }

  /// Rolls back all changes since `beginEnclosing`; does nothing if no transaction is open.
  package func rollbackEnclosing() {
    guard enclosing != nil else { return }
    rollbackCount += 1
    if isInTransaction { try? prepare("ROLLBACK").run() }
    // If the rollback fails the hook stays; closing the connection undoes the transaction.
    if !isInTransaction { endEnclosing() }
  }

  private func endEnclosing() {
    sqlite3_commit_hook(handle, nil, nil)
    enclosing = nil
  }

  private func waiting(_ limit: Duration?, _ body: () throws -> Void) throws {
    guard let limit else { return try body() }
    waitForLocks(atMost: limit)
    defer { waitForLocks(atMost: busyTimeout) }
    do {
      try body()
    } catch let error as SQLiteError where error.code == .busy {
      throw error.advising(SQLiteError.limitedWaitAdvice)
    }
  }

  package var isEnclosed: Bool { enclosing != nil }

  /// From now on inner transactions are not undone alone. Call it while none is open.
  package func omitSavepointsInside() {
    guard let enclosing, enclosing.depth == 0 else { return }
    enclosing.isIndivisible = true
  }

  /// Why the enclosing transaction can't be committed any more.
  package var enclosingFailure: SQLiteError? {
    do {
      try enclosing.map(requireWhole)
      return nil
    } catch {
      return error
    }
  }

  /// Whether an inner transaction is open.
  package var hasTransactionInside: Bool { (enclosing?.depth ?? 0) > 0 }

  /// Throws if SQLite has rolled back the enclosing transaction.
  func requireWhole(_ enclosing: EnclosingTransaction) throws(SQLiteError) {
    if isInTransaction, !enclosing.isBroken { return }
    throw SQLiteError(
      .aborted,
      message: "an earlier error rolled back the whole transaction; its changes can't be committed",
      path: path)
  }

  // MARK: Transactions inside

  func begin(in enclosing: EnclosingTransaction) throws {
    try requireWhole(enclosing)
    if enclosing.isIndivisible {
      enclosing.starts.append(totalChanges)
    } else {
      try prepare("SAVEPOINT \(enclosing.savepoint)").run()
    }
    enclosing.depth += 1
  }

  func commit(in enclosing: EnclosingTransaction) throws {
    try requireWhole(enclosing)
    guard enclosing.depth > 0 else {
      throw SQLiteError(.misuse, message: "no transaction is open", path: path)
    }
    enclosing.depth -= 1
    if enclosing.isIndivisible {
      enclosing.starts.removeLast()
      return
    }
    do {
      try prepare("RELEASE \(enclosing.savepoint)").run()
    } catch {
      enclosing.depth += 1
      throw error
    }
  }

  func rollback(in enclosing: EnclosingTransaction) {
    guard enclosing.depth > 0 else { return }
    enclosing.depth -= 1
    if enclosing.isIndivisible {
      if enclosing.starts.removeLast() != totalChanges { enclosing.isBroken = true }
      return
    }
    guard isInTransaction else { return }
    do {
      try prepare("ROLLBACK TO \(enclosing.savepoint)").run()
      try prepare("RELEASE \(enclosing.savepoint)").run()
    } catch {
      enclosing.isBroken = true
    }
  }
}
