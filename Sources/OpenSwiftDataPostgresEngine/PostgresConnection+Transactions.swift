import OpenSwiftDataCPostgres

/// What a transaction sees, and whether it may write.
package enum TransactionKind: Sendable {
  /// Each statement sees what was committed before it.
  case write
  /// All statements see one state of the database, and their own changes. The server fails one of two
  /// such transactions if they would not have the same result one after the other.
  case serializableWrite
  /// All statements see one state of the database; nothing can be written.
  case snapshot

  var sql: String {
    switch self {
    case .write: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
    case .serializableWrite: "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE"
    case .snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    }
  }
}

extension PostgresConnection {
  /// Whether a transaction is open, even if it has failed.
  package var hasOpenTransaction: Bool {
    guard let handle else { return false }
    if isBeginDeferred { return true }
    switch PQtransactionStatus(handle) {
    case PQTRANS_INTRANS, PQTRANS_INERROR: return true
    default: return false
    }
  }

  /// Whether the open transaction is one that the server isolates from other writers, and may fail because
  /// of them.
  package var isSerializable: Bool { hasOpenTransaction && transactionKind == .serializableWrite }

  /// Begins a transaction, which `commit` or `rollback` ends. In an enclosing transaction, begins a
  /// savepoint, unless it is the last one inside.
  /// - Parameter limit: How long the preamble waits for locks, besides the time of the statement with which it
  ///   is sent; `nil` for the limit of the connection.
  package func begin(_ kind: TransactionKind, within limit: Duration? = nil) throws {
    isOptimistic = false
    if let depth = innerTransactions {
      guard hasOpenTransaction else { throw failure(.misuse, "the transaction has ended") }
      if depth > 0 || !endsWithInner {
        try executeLater("SAVEPOINT \(PostgresConnection.innerName(depth))")
      }
      innerTransactions = depth + 1
      return
    }
    guard !hasOpenTransaction else { throw failure(.misuse, "a transaction is open already") }
    var statements = [kind.sql]
    if options.statements == .pooled {
      // Behind a pooler the session has no settings.
      statements += options.settings.map { "SET LOCAL \($0.name) = \($0.milliseconds)" }
    }
    let preamble = limited(preambles[kind] ?? [], to: limit)
    beginWait = preamble.isEmpty ? .zero : max(limit ?? .zero, .zero)
    transactionNumber = nil
    transactionKind = kind
    commitProof = nil
    let isDeferred = kind == .snapshot ? defersSnapshots : defersStatements
    guard isDeferred, PostgresConnection.defersBegin else {
      let sql = (statements + preamble).joined(separator: "; ")
      return try execute(sql, within: callLimit.map { $0 + beginWait }) {
        transactionNumber = Int64($0)
      }
    }
    // All are prepared before the transaction begins, once, except settings, whose texts differ.
    let prepared = try (statements + preamble).map { sql -> DeferredStatement in
      sql.hasPrefix("SET") ? .text(sql) : .preamble(try description(of: sql))
    }
    isBeginDeferred = true
    deferred = prepared
  }

  /// Statements that wait for locks no longer than this, but longer than statements may run.
  private func limited(_ statements: [String], to limit: Duration?) -> [String] {
    guard let limit, !statements.isEmpty else { return statements }
    var limits = [(name: "lock_timeout", limit: limit)]
    let longest = limit + options.cancellationGrace
    if let usual = options.statementTimeout, usual < longest {
      limits.append(("statement_timeout", longest))
    }
    // Zero would be no limit.
    return limits.map { "SET LOCAL \($0.name) = \(max($0.limit.milliseconds, 1))" } + statements
      + options.settings.filter { setting in limits.contains { $0.name == setting.name } }
      .map { "SET LOCAL \($0.name) = \($0.milliseconds)" }
  }

  /// If the connection is lost during the commit, another one is asked what happened.
  /// - Throws: `PostgresError`; if `isOutcomeUnknown` is true, the changes may be stored.
  package func commit() throws {
    if let depth = innerTransactions, depth > 0 {
      if depth == 1, endsWithInner { return innerTransactions = 0 }
      let release = "RELEASE SAVEPOINT \(PostgresConnection.innerName(depth - 1))"
      // The errors of statements that wait are those of this commit.
      if deferred.isEmpty { try executeLater(release) } else { try executeSingle(release) }
      innerTransactions = depth - 1
      return
    }
    guard innerTransactions == nil else {
      throw failure(.misuse, "the enclosing transaction must be committed")
    }
    try commitAll()
  }

  private func commitAll() throws {
    guard hasOpenTransaction || handle == nil else {
      throw failure(.misuse, "no transaction is open")
    }
    if transactionKind == .snapshot, endSnapshot() { return }
    // Made before the server ends the transaction.
    let refusal = refusal(
      "nothing was committed, because an earlier error aborted the transaction", "COMMIT")
    let tag: String
    do {
      tag = try executeSingle("COMMIT", isCommit: true)
    } catch var error as PostgresError where error.isOutcomeUnknown {
      // What is left of the connection can't be trusted.
      close()
      guard let lostTransaction, let wasCommitted = findOutcome?(lostTransaction) else {
        throw error
      }
      if wasCommitted { return }
      error.isOutcomeUnknown = false
      throw error
    }
    transactionFailure = nil
    // The server rolls back a failed transaction and reports that as a success.
    if tag != PostgresConnection.commitTag { throw refusal }
  }

  /// Ends a transaction that has written nothing, without waiting for the server.
  /// - Returns: Whether that was possible. Everything was read, so the loss of the connection is no failure.
  private func endSnapshot() -> Bool {
    if isBeginDeferred {
      // Nothing was read.
      rollback()
      return true
    }
    guard let handle, deferred.isEmpty, !isExchanging,
      PQtransactionStatus(handle) == PQTRANS_INTRANS
    else { return false }
    let start = ContinuousClock.now
    // It is sent at once, unless the socket is full.
    guard PQsendQuery(handle, "COMMIT") == 1, PQflush(handle) >= 0 else {
      close()
      return true
    }
    isSnapshotEnding = true
    traceStart = tracer == nil ? nil : start
    trace("COMMIT", nil, rows: 0)
    return true
  }

  /// Waits for the answer to the commit of a snapshot, which says nothing new unless the connection is
  /// lost.
  /// - Parameter limit: The time limit of the call that needs the connection; `nil` for that of the
  ///   connection.
  func finishSnapshot(within limit: Duration?) throws {
    guard isSnapshotEnding else { return }
    isSnapshotEnding = false
    do {
      try untraced {
        try exchange(nil, within: limit, isCounted: false) { handle, deadline in
          _ = try discardResults(handle, deadline, nil)
        }
      }
    } catch let error as PostgresError where isOpen && error.kind != .cancelled {}
  }

  /// Rolls back the running transaction. If that fails, the connection is closed, and the server
  /// rolls back.
  package func rollback() {
    if let depth = innerTransactions {
      guard depth > 0 else { return }
      innerTransactions = depth - 1
      if depth > 1 || !endsWithInner {
        return rollback(to: PostgresConnection.innerName(depth - 1))
      }
    }
    guard hasOpenTransaction else { return }
    deferred.removeAll()
    // Nothing of the transaction was sent.
    if isBeginDeferred { return isBeginDeferred = false }
    do {
      try execute("ROLLBACK")
      transactionFailure = nil
    } catch {
      close()
    }
  }

  private func rollback(to savepoint: String) {
    guard hasOpenTransaction else { return }
    if dropDeferred(from: "SAVEPOINT \(savepoint)") { return }
    do {
      try execute("ROLLBACK TO SAVEPOINT \(savepoint)")
      transactionFailure = nil
      try executeLater("RELEASE SAVEPOINT \(savepoint)")
    } catch {
      // Without the savepoint, because a statement before it failed, the whole transaction has.
      if handle.map({ PQtransactionStatus($0) }) != PQTRANS_INERROR { close() }
    }
  }

  private static func innerName(_ depth: Int) -> String { "\"inner \(depth)\"" }

  /// Commits the changes of `body`, or rolls all of them back if `body` or the commit throws.
  package func transaction<R>(
    _ kind: TransactionKind = .write, _ body: () throws -> R
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

  /// Runs reads that see one state of the database, in the running transaction or a new one. In a
  /// running transaction that may write, each read sees what was committed before it.
  package func snapshot<R>(_ body: () throws -> R) throws -> R {
    try hasOpenTransaction ? body() : transaction(.snapshot, body)
  }

  /// Keeps the changes of `body` in the running transaction, or undoes them if `body` throws. After
  /// that the transaction can go on, even if the server had aborted it.
  package func savepoint<R>(_ name: String, _ body: () throws -> R) throws -> R {
    let quoted = PostgresConnection.quoted(name)
    guard hasOpenTransaction else {
      throw failure(.misuse, "a savepoint needs an open transaction")
    }
    try executeLater("SAVEPOINT \(quoted)")
    do {
      let result = try body()
      try executeLater("RELEASE SAVEPOINT \(quoted)")
      return result
    } catch {
      rollback(to: quoted)
      throw error
    }
  }

  // MARK: Enclosing transactions

  /// Begins a transaction that contains all others of the connection. The locks of a `write` are taken now,
  /// not with its first statement: what its caller has in memory must not change from here on. Inside another
  /// enclosing transaction, such as a migration, it is a savepoint.
  /// - Parameter limit: How long to wait for the locks; `nil` for the limit of the connection.
  package func beginEnclosing(
    _ kind: TransactionKind = .write, within limit: Duration? = nil
  ) throws {
    if let depth = innerTransactions {
      guard !endsWithInner else { throw failure(.misuse, "the enclosing transaction ends") }
      try begin(kind)
      return enclosedDepths.append(depth)
    }
    try begin(kind, within: limit)
    do {
      if kind == .write { try sendDeferred() }
    } catch {
      rollback()
      throw error
    }
    innerTransactions = 0
    endsWithInner = false
  }

  /// The next transaction inside the enclosing one is the last. It needs no savepoint, and is sent with the
  /// commit of the enclosing one, which throws its errors. If it is rolled back, so is the enclosing one.
  package func endAfterNextInner() {
    // One inside a migration is followed by others.
    if enclosedDepths.isEmpty { endsWithInner = true }
  }

  /// Commits all changes since `beginEnclosing`.
  package func commitEnclosing() throws {
    if let depth = enclosedDepths.last {
      guard innerTransactions == depth + 1 else {
        throw failure(.misuse, "a transaction is open inside")
      }
      try commit()
      enclosedDepths.removeLast()
      return
    }
    guard innerTransactions == 0 else {
      throw failure(
        .misuse,
        innerTransactions == nil
          ? "no enclosing transaction is open" : "a transaction is open inside")
    }
    try commitAll()
    innerTransactions = nil
  }

  /// Rolls back all changes since `beginEnclosing`; does nothing if no transaction is open.
  package func rollbackEnclosing() {
    if let depth = enclosedDepths.popLast() {
      // Its savepoint contains those that are still open inside.
      innerTransactions = depth + 1
      return rollback()
    }
    guard innerTransactions != nil else { return }
    innerTransactions = nil
    rollback()
  }
}
