import OpenSwiftDataCPostgres

extension PostgresConnection {
  /// A statement for the text, which is prepared if it was not before.
  package func prepare(_ sql: String) throws -> PostgresStatement {
    PostgresStatement(try description(of: sql), connection: self)
  }

  /// Runs one or more statements without parameters; ignores rows.
  ///
  /// Outside of a transaction, several statements are one transaction.
  /// - Parameters:
  ///   - limit: The time limit of the call; `nil` for that of the connection.
  ///   - value: Called with the first value of each result that has a row, as text.
  package func execute(
    _ sql: String, within limit: Duration? = nil, value: (String) -> Void = { _ in }
  ) throws {
    try sendDeferred()
    try exchange(sql, within: limit) { handle, deadline in
      try sent(PQsendQuery(handle, sql), sql)
      let rows = try discardResults(handle, deadline, sql) { result in
        if let text = PostgresConnection.firstText(of: result) { value(text) }
      }.rowCount
      trace(sql, nil, rows: rows)
    }
  }

  /// The first column of all rows of one statement without parameters, which is not kept.
  package func texts(_ sql: String) throws -> [String] {
    try sendDeferred()
    return try exchange(sql) { handle, deadline in
      try sent(PQsendQuery(handle, sql), sql)
      var (texts, failed): ([String], PostgresError?) = ([], nil)
      while let result = try nextResult(handle, deadline, sql) {
        defer { PQclear(result) }
        do {
          try check(result, sql)
        } catch let error as PostgresError {
          guard self.handle != nil else { throw error }
          failed = failed ?? error
        }
        for row in 0..<PQntuples(result) {
          texts.append(PQgetvalue(result, row, 0).map { String(cString: $0) } ?? "")
        }
      }
      if let failed { throw failed }
      trace(sql, nil, rows: texts.count)
      return texts
    }
  }

  /// Runs one statement without parameters and rows, after the deferred ones and with them.
  /// - Returns: Its tag, such as `COMMIT`.
  @discardableResult
  func executeSingle(_ sql: String, isCommit: Bool = false) throws -> String {
    var tag = ""
    do {
      try exchange(sql, isCommit: isCommit) { handle, deadline in
        let kept = try beginPipeline(handle)
        if kept.isEmpty {
          try sent(PQsendQuery(handle, sql), sql)
        } else {
          try sent(PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 1), sql)
          try sync(handle, sql)
          try receiveDeferred(kept, handle, deadline)
        }
        awaitsCommit = isCommit
        let rows = try discardResults(
          handle, deadline, sql,
          tags: {
            tag = $0
            if isCommit, tag == PostgresConnection.commitTag { traceEnd(sql) }
          }
        ).rowCount
        // A failed transaction is rolled back.
        let isRefused = isCommit && tag != PostgresConnection.commitTag
        trace(
          sql, nil, rows: rows, failure: isRefused ? SQLState.failedTransaction.rawValue : nil)
        if !kept.isEmpty { try endPipeline(handle, deadline) }
      }
    } catch {
      // A session can end behind its last commit, which it has confirmed.
      guard isCommit, tag == PostgresConnection.commitTag else { throw error }
    }
    return tag
  }

  /// What the server answers if a transaction was committed, and not rolled back.
  static let commitTag = "COMMIT"

  /// The number of statements that the connection knows.
  package var knownStatementCount: Int { statements.count }

  /// Forgets all statements, because the tables have changed.
  package func forgetStatements() { statements.removeAll() }

  /// Forgets a statement that no longer fits, so that it is prepared again.
  /// - Parameter error: The server's reason for rejecting it.
  func forget(_ description: StatementDescription, because error: PostgresError) {
    if error.state == .unknownPreparedStatement {
      // All are gone, as after DISCARD or behind a pooler. To deallocate one would be an error.
      forgetStatements()
    } else {
      statements.remove(description)
    }
  }

  func description(of sql: String) throws -> StatementDescription {
    if let found = statements.find(sql) { return found }
    try sendDeferred()
    let name = statements.makeName()
    let obsolete = hasOpenTransaction ? [] : statements.obsoleteNames
    // They are deallocated even if the statement after them cannot be prepared.
    defer { statements.noteDeallocated(obsolete.count) }
    let description = try exchange(sql) { handle, deadline in
      try pipelined(handle, deadline, sql) {
        for name in obsolete {
          let text = "DEALLOCATE " + PostgresConnection.quoted(name)
          try sent(PQsendQueryParams(handle, text, 0, nil, nil, nil, nil, 0), sql)
        }
        try sent(PQsendPrepare(handle, name, sql, 0, nil), sql)
        try sent(PQsendDescribePrepared(handle, name), sql)
      } receive: { index, result -> StatementDescription? in
        guard index == obsolete.count + 1 else { return nil }
        return StatementDescription(
          sql: sql, name: name,
          parameterTypes: (0..<PQnparams(result)).map {
            PostgresType(rawValue: PQparamtype(result, $0))
          },
          columns: (0..<PQnfields(result)).map {
            StatementDescription.Column(
              name: PQfname(result, $0).map { String(cString: $0) } ?? "",
              type: PostgresType(rawValue: PQftype(result, $0)))
          })
      }
    }
    guard let description else {
      throw failure(.invalidAnswer, "the server did not describe the statement", sql: sql)
    }
    preparedCount += 1
    statements.add(description)
    return description
  }

  /// Sends several requests in one round trip.
  /// - Parameter receive: Called with the number of each request, from 0, and its result.
  /// - Returns: The last value that `receive` returned.
  private func pipelined<R>(
    _ handle: OpaquePointer, _ deadline: Deadline, _ sql: String, send: () throws -> Void,
    receive: (Int, OpaquePointer) throws -> R?
  ) throws -> R? {
    try sent(PQenterPipelineMode(handle), sql)
    try send()
    try sync(handle, sql)
    var (index, value): (Int, R?) = (0, nil)
    while openSyncs > 0 {
      guard let result = try nextResult(handle, deadline, sql) else {
        index += 1
        guard isOpen, index < 10_000 else { throw lastFailure(sql) }
        continue
      }
      defer { PQclear(result) }
      switch PQresultStatus(result) {
      case PGRES_PIPELINE_SYNC: openSyncs -= 1
      case PGRES_FATAL_ERROR: throw PostgresError(result: result, sql: sql)
      case PGRES_COMMAND_OK: value = try receive(index, result) ?? value
      default: throw failure(.invalidAnswer, "an answer has an unexpected type", sql: sql)
      }
    }
    try sent(PQexitPipelineMode(handle), sql)
    return value
  }

  func sync(_ handle: OpaquePointer, _ sql: String?) throws {
    try sent(PQpipelineSync(handle), sql)
    openSyncs += 1
  }

  /// The first value of a result in text format; `nil` without one.
  static func firstText(of result: OpaquePointer) -> String? {
    if PQnfields(result) == 0 { return nil }
    return PQgetvalue(result, 0, 0).map { String(cString: $0) }
  }

  /// Reads the results of a statement, and keeps no rows.
  /// - Parameters:
  ///   - rows: Called with each result that has rows.
  ///   - tags: Called with the tag of each command, such as `INSERT 0 1`.
  /// - Returns: The tag of the last command, and the number of ignored rows.
  @discardableResult
  func discardResults(
    _ handle: OpaquePointer, _ deadline: Deadline, _ sql: String?,
    rows: (OpaquePointer) throws -> Void = { _ in }, tags: (String) -> Void = { _ in }
  ) throws -> (tag: String, rowCount: Int) {
    var (tag, rowCount, failed): (String, Int, PostgresError?) = ("", 0, nil)
    while let result = try nextResult(handle, deadline, sql) {
      defer { PQclear(result) }
      do {
        try check(result, sql)
        tag = PQcmdStatus(result).map { String(cString: $0) } ?? ""
        tags(tag)
        rowCount += Int(PQntuples(result))
        if PQntuples(result) > 0 { try rows(result) }
      } catch let error as PostgresError {
        guard self.handle != nil else { throw error }
        failed = failed ?? error
      }
    }
    if let failed { throw failed }
    return (tag, rowCount)
  }

  /// Throws the error that a result reports.
  func check(_ result: OpaquePointer, _ sql: String?) throws {
    let status = PQresultStatus(result)
    if cpostgres_is_part(status) != 0 { return }
    switch status {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return
    case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
      // Only the end of the connection ends it safely.
      defer { close() }
      throw failure(.misuse, "COPY is not supported here; the connection was closed", sql: sql)
    case PGRES_BAD_RESPONSE:
      throw failure(.invalidAnswer, "an answer contradicts the protocol", sql: sql)
    default: throw PostgresError(result: result, sql: sql)
    }
  }
}
