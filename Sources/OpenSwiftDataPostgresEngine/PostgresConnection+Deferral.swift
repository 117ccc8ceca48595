import OpenSwiftDataCPostgres

// Statements of a transaction whose results nobody waits for now.
//
// 1. `executeLater` and `PostgresStatement.runLater` keep a statement in `deferred`.
// 2. The next exchange with the server sends the kept statements before its own, in pipeline mode, and
//    reads their results first. So they cost no round trip.
// 3. The error of a kept statement is thrown by that exchange. The server ignores the statements after
//    it.
// 4. A rollback drops statements that were not sent. A commit is an exchange, so it sends them.
// 5. A statement may have a receiver, which gets its integers with that exchange.

/// A statement that was not sent yet, with its values.
enum DeferredStatement {
  case text(String)
  /// A statement of a preamble, without parameters. Its values are received as text.
  case preamble(StatementDescription)
  case prepared(StatementDescription, ParameterBuffer, receiver: IntegerReceiver? = nil)

  var sql: String {
    switch self {
    case .text(let sql): sql
    case .preamble(let description), .prepared(let description, _, _): description.sql
    }
  }

  var values: ParameterBuffer? {
    if case .prepared(_, let values, _) = self { values } else { nil }
  }
}

/// Gets all columns of all rows of a statement, row by row; 0 for null.
package typealias IntegerReceiver = ([Int64]) -> Void

extension PostgresConnection {
  /// The limits of what is kept: more is sent at once.
  private static let deferredCount = 64
  static let deferredBytes = 16 << 10
  /// From this size in bytes on, a message makes a connection not worth keeping.
  static let largeMessage = 8 << 20
  /// From this size in bytes on, a message is sent without a time limit for the whole.
  private static let longSending = 1 << 20

  /// Runs one statement without parameters and rows before the next one of the transaction, or now.
  func executeLater(_ sql: String) throws {
    guard defersStatements else { return try execute(sql) }
    deferred.append(.text(sql))
  }

  /// Keeps a statement for the next exchange. The values must not refer to memory of the caller.
  func keep(
    _ description: StatementDescription, _ values: ParameterBuffer,
    _ receiver: IntegerReceiver? = nil
  ) throws {
    deferred.append(.prepared(description, values, receiver: receiver))
    if deferred.count >= PostgresConnection.deferredCount { try sendDeferred() }
  }

  /// Sends what was kept, and waits for the results.
  func sendDeferred() throws {
    if deferred.isEmpty { return }
    try exchange(deferred[0].sql) { handle, deadline in
      let count = try beginPipeline(handle)
      try sync(handle, nil)
      try receiveDeferred(count, handle, deadline)
      try endPipeline(handle, deadline)
    }
  }

  /// Drops the kept statements after and including the last one with this text.
  /// - Returns: Whether there is one. Otherwise all are dropped.
  func dropDeferred(from sql: String) -> Bool {
    let index = deferred.lastIndex { $0.sql == sql }
    deferred.removeSubrange((index ?? 0)...)
    return index != nil
  }

  // MARK: Inside an exchange

  /// Enters pipeline mode and sends the kept statements; does nothing if there are none.
  /// - Returns: The statements, whose results come before all others.
  func beginPipeline(_ handle: OpaquePointer) throws -> [DeferredStatement] {
    if deferred.isEmpty { return [] }
    let kept = deferred
    deferred.removeAll(keepingCapacity: true)
    isBeginDeferred = false
    try sent(PQenterPipelineMode(handle), kept[0].sql)
    for statement in kept {
      switch statement {
      case .text(let sql):
        try sent(PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 0), sql)
      case .preamble(let description) where description.name.isEmpty:
        let sql = description.sql
        try sent(PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 0), sql)
      case .preamble(let description):
        try sent(
          PQsendQueryPrepared(handle, description.name, 0, nil, nil, nil, 0), description.sql)
      case .prepared(let description, let values, _):
        try send(description, values, handle)
      }
      try requestTracedAnswer(handle, statement.sql)
    }
    return kept
  }

  /// Reads the results of the kept statements. Among those without parameters only a preamble returns
  /// a value, as text: the number of the transaction.
  func receiveDeferred(
    _ kept: [DeferredStatement], _ handle: OpaquePointer, _ deadline: Deadline
  ) throws {
    for statement in kept {
      do {
        let rows: Int
        if case .prepared(let description, _, let receiver?) = statement {
          var integers: [Int64] = []
          rows = try discardResults(handle, deadline, statement.sql) { result in
            integers += try self.integers(of: result, description)
          }.rowCount
          receiver(integers)
        } else {
          rows = try discardResults(handle, deadline, statement.sql) { result in
            if case .prepared = statement { return }
            transactionNumber = PostgresConnection.firstText(of: result).flatMap { Int64($0) }
          }.rowCount
        }
        trace(statement.sql, statement.values, rows: rows)
      } catch let error as PostgresError where error.isStalePreparedStatement {
        // Otherwise a repetition of the transaction would send it again.
        switch statement {
        case .text: break
        case .preamble(let description), .prepared(let description, _, _):
          forget(description, because: error)
        }
        throw error
      } catch let interruption as Interruption {
        interruptedSQL = statement.sql
        throw interruption
      }
    }
  }

  private func integers(
    of result: OpaquePointer, _ description: StatementDescription
  ) throws -> [Int64] {
    var integers: [Int64] = []
    for row in 0..<PQntuples(result) {
      for column in 0..<PQnfields(result) {
        guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column)
        else {
          integers.append(0)
          continue
        }
        let bytes = UnsafeRawBufferPointer(
          start: start, count: Int(PQgetlength(result, row, column)))
        let type = PostgresType(rawValue: PQftype(result, column))
        guard let value = try PostgresDecoding.integer(bytes, type) else {
          throw failure(
            .value, "a value of the type \(type) cannot be read as an integer", sql: description.sql
          )
        }
        integers.append(value)
      }
    }
    return integers
  }

  /// Reads the answer to the last `sync`, and leaves pipeline mode.
  func endPipeline(_ handle: OpaquePointer, _ deadline: Deadline) throws {
    while openSyncs > 0 {
      guard let answer = try nextResult(handle, deadline, nil) else { throw lastFailure(nil) }
      defer { PQclear(answer) }
      guard PQresultStatus(answer) == PGRES_PIPELINE_SYNC else {
        throw PostgresError(result: answer, sql: nil)
      }
      openSyncs -= 1
    }
    try sent(PQexitPipelineMode(handle), nil)
  }

  /// Sends a prepared statement with these values.
  func send(
    _ description: StatementDescription, _ values: ParameterBuffer, _ handle: OpaquePointer
  ) throws {
    let size = values.size
    if size > PostgresConnection.largeMessage { hasLargeBuffers = true }
    if size > PostgresConnection.longSending { isSendingLarge = true }
    let result = values.withValues { count, pointers, lengths, formats in
      if !description.name.isEmpty {
        return PQsendQueryPrepared(
          handle, description.name, count, pointers, lengths, formats, 1)
      }
      // The types are known from the first description of this text.
      let types = description.parameterTypes.map(\.rawValue)
      return PQsendQueryParams(
        handle, description.sql, count, types, pointers, lengths, formats, 1)
    }
    try sent(result, description.sql)
  }
}
