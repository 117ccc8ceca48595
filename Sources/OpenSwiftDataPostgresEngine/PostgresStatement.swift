import OpenSwiftDataCPostgres

/// A statement of a connection with values for its parameters.
///
/// Bind values and call `run`, `rows` or one of the functions for short answers. Bound values stay
/// until `clear()` or until they are bound again, except borrowed ones. Must not be used outside the
/// closure that borrows its connection.
package final class PostgresStatement {
  package let connection: PostgresConnection
  private var description: StatementDescription

  /// The values of the parameters.
  package var parameters: ParameterBuffer

  /// Up to this many rows, the next run's rows are received together: without chunks libpq makes a
  /// result for each row, which costs as much as to send it.
  private static let fewRows = 200

  init(_ description: StatementDescription, connection: PostgresConnection) {
    self.description = description
    self.connection = connection
    parameters = ParameterBuffer(description.parameterTypes)
  }

  package var sql: String { description.sql }
  package var columns: [StatementDescription.Column] { description.columns }
  package var parameterTypes: [PostgresType] { description.parameterTypes }

  package func bind(_ values: PostgresValue...) throws { try bind(values) }

  /// Binds all parameters.
  package func bind(_ values: [PostgresValue]) throws {
    parameters.clear()
    for (index, value) in values.enumerated() { try bind(value, at: index + 1) }
  }

  /// Binds the parameter with this number, from 1.
  package func bind(_ value: PostgresValue, at number: Int) throws {
    try described { try parameters.bind(value, at: number) }
  }

  /// Adds the statement to errors of values.
  package func described<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as PostgresError {
      throw error.with(sql: sql, database: connection.database)
    }
  }

  /// Runs to the end, and ignores rows.
  /// - Returns: The number of changed rows.
  @discardableResult
  package func run(within limit: Duration? = nil) throws -> Int {
    try rows(within: limit) { rows in
      while try rows.next() {}
      return rows.changedRows
    }
  }

  /// Lends the rows of the result to `body`, which need not read all of them.
  ///
  /// Only the row that is being read is in memory.
  package func rows<R>(
    within limit: Duration? = nil, _ body: (PostgresRows) throws -> R
  ) throws -> R {
    do {
      return try runRows(within: limit, body)
    } catch let error as PostgresError where error.isStalePreparedStatement {
      forget(because: error)
      // The statement was rejected before it ran. In a transaction the caller must repeat all.
      guard connection.handle != nil, !connection.isInTransaction else { throw error }
      description = try connection.description(of: sql)
      guard description.parameterTypes == parameters.types else { throw error }
      return try runRows(within: limit, body)
    }
  }

  /// Makes the next user of the text prepare it again.
  func forget(because error: PostgresError) { connection.forget(description, because: error) }

  private func runRows<R>(
    within limit: Duration?, _ body: (PostgresRows) throws -> R
  ) throws -> R {
    try connection.exchange(sql, within: limit) { handle, deadline in
      let kept = try connection.beginPipeline(handle)
      // Borrowed values exist until they are sent.
      let values = connection.tracesValues ? parameters.owned : nil
      try send(parameters)
      if !kept.isEmpty {
        try connection.sync(handle, sql)
        try connection.receiveDeferred(kept, handle, deadline)
      }
      let result = try receiveRows(handle, deadline, values, body)
      if !kept.isEmpty { try connection.endPipeline(handle, deadline) }
      return result
    }
  }

  /// Reads the rows of a run that was sent, inside an exchange.
  /// - Parameter values: The values of the run, if they are reported.
  fileprivate func receiveRows<R>(
    _ handle: OpaquePointer, _ deadline: Deadline, _ values: ParameterBuffer?,
    _ body: (PostgresRows) throws -> R
  ) throws -> R {
    if cpostgres_has_chunks() != 0 || description.lastRowCount > PostgresStatement.fewRows {
      try connection.sent(cpostgres_read_in_parts(handle, 500), sql)
    }
    let rows = PostgresRows(connection, handle, description, deadline)
    defer { rows.end() }
    let result: R
    do {
      result = try body(rows)
      try rows.finish()
    } catch  where !(error is PostgresError || error is Interruption) {
      // The statement has run; the caller did not want the rest of its rows.
      connection.trace(sql, values, rows: rows.receivedRows)
      throw error
    }
    connection.trace(sql, values, rows: rows.receivedRows)
    return result
  }

  /// Runs the statement before the next one of the transaction, with which it is sent, or now. The
  /// error of a later run is thrown by the next one.
  package func runLater() throws {
    guard connection.defersStatements, connection.hasOpenTransaction,
      parameters.size <= PostgresConnection.deferredBytes
    else {
      try run()
      return
    }
    try connection.keep(description, parameters.owned)
  }

  /// Runs the statement as `runLater` does, mostly with the commit.
  ///
  /// If nothing of the transaction was sent so far, and the rows that it leaves would not tell what became of
  /// a commit whose answer is lost, what waits is sent now. So the number of the transaction is known
  /// before the commit.
  /// - Parameter receiver: Called with all columns of all rows, when they have arrived. Not called if an
  ///   error ended the transaction before.
  package func runLater(_ receiver: @escaping IntegerReceiver) throws {
    guard connection.defersStatements, connection.hasOpenTransaction,
      parameters.size <= PostgresConnection.deferredBytes
    else { return receiver(try integers()) }
    if connection.isBeginDeferred, !connection.canSendAtOnce { try connection.sendDeferred() }
    try connection.prepareToSendAtOnce()
    try connection.keep(description, parameters.owned, receiver)
  }

  /// Sends the statement with these values.
  func send(_ values: ParameterBuffer) throws {
    guard let handle = connection.handle else {
      throw connection.failure(.connection, "the connection is closed", sql: sql)
    }
    try connection.send(description, values, handle)
  }

  // MARK: Short answers

  /// The first column of the first row; `nil` if there is no row or it is null.
  package func integer() throws -> Int64? {
    try rows { try $0.next() ? try $0.integer(0) : nil }
  }

  /// All columns of all rows, row by row; 0 for null.
  package func integers() throws -> [Int64] { try rows { try $0.integers() } }

  /// All columns of all rows.
  package func values() throws -> [[PostgresValue]] {
    try rows { rows in
      var values: [[PostgresValue]] = []
      while try rows.next() {
        values.append(try (0..<rows.columnCount).map { try rows.value($0) })
      }
      return values
    }
  }
}

extension PostgresRows {
  /// All columns of all rows that are left, row by row; 0 for null.
  package func integers() throws -> [Int64] {
    var values: [Int64] = []
    while try next() {
      for column in 0..<columnCount { values.append(try integer(column) ?? 0) }
    }
    return values
  }
}

extension PostgresConnection {
  /// Runs several statements in one round trip, and lends the rows of each to `body`, in their order.
  /// - Parameter body: Gets the index of the statement. If one has to be prepared again, all run again.
  package func rows<R>(
    of statements: [PostgresStatement], _ body: (Int, PostgresRows) throws -> R
  ) throws -> [R] {
    func runAlone() throws -> [R] {
      try statements.enumerated().map { index, statement in
        try statement.rows { try body(index, $0) }
      }
    }
    if statements.count < 2 { return try runAlone() }
    do {
      return try runTogether(statements, body)
    } catch let error as PostgresError where error.isStalePreparedStatement {
      statements.first { $0.sql == error.sql }?.forget(because: error)
      // In a transaction the caller must repeat all.
      guard handle != nil, !isInTransaction else { throw error }
      return try runAlone()
    }
  }

  private func runTogether<R>(
    _ statements: [PostgresStatement], _ body: (Int, PostgresRows) throws -> R
  ) throws -> [R] {
    let sql = statements[0].sql
    return try exchange(sql) { handle, deadline in
      let kept = try beginPipeline(handle)
      if kept.isEmpty { try sent(PQenterPipelineMode(handle), sql) }
      // Borrowed values exist until they are sent.
      let values = statements.map { tracesValues ? $0.parameters.owned : nil }
      for statement in statements {
        try statement.send(statement.parameters)
        try requestTracedAnswer(handle, statement.sql)
      }
      try sync(handle, sql)
      try receiveDeferred(kept, handle, deadline)
      let results = try statements.indices.map { index in
        do {
          return try statements[index].receiveRows(handle, deadline, values[index]) {
            try body(index, $0)
          }
        } catch let interruption as Interruption {
          interruptedSQL = statements[index].sql
          throw interruption
        }
      }
      try endPipeline(handle, deadline)
      return results
    }
  }
}
