import OpenSwiftDataCPostgres

extension PostgresStatement {
  /// What one row of a batch returned.
  package struct BatchResult: Hashable, Sendable {
    /// The number of changed rows.
    package var changedRows: Int
    /// The first column of the first returned row, if it is an integer.
    package var integer: Int64?
  }

  /// How many rows may be sent before their results are read, and how many bytes.
  private static let rowsInFlight = 512
  private static let bytesInFlight = 1 << 20
  /// The server sends results when its buffer is full, or when it is asked to.
  private static let rowsPerRequest = 128

  /// Runs the statement once for each row of a batch, with few round trips.
  ///
  /// All rows are written or none: outside of a transaction the batch is one.
  /// - Parameters:
  ///   - limit: The time limit of the batch.
  ///   - bind: Sets all parameters of the row with this number, from 0.
  ///   - result: Called for each row, in order, while later ones may already have run.
  /// - Throws: `PostgresError` with `rowIndex`; the transaction must be rolled back then.
  package func runBatch(
    _ count: Int, within limit: Duration? = nil,
    bind: (Int, inout ParameterBuffer) throws -> Void,
    result: (Int, BatchResult) throws -> Void = { _, _ in }
  ) throws {
    if count == 0 { return }
    guard connection.hasOpenTransaction else {
      return try connection.transaction {
        try runBatch(count, within: limit, bind: bind, result: result)
      }
    }
    do {
      try connection.exchange(sql, within: limit) { handle, deadline in
        try connection.sent(PQenterPipelineMode(handle), sql)
        var batch = Batch(self, handle, deadline, count: count)
        try batch.run(bind, result)
        try connection.sent(PQexitPipelineMode(handle), sql)
      }
    } catch let error as PostgresError where error.isStalePreparedStatement {
      forget()
      throw error
    }
  }

  private struct Batch {
    let statement: PostgresStatement
    let connection: PostgresConnection
    let handle: OpaquePointer
    let deadline: Deadline
    let count: Int
    var sent = 0
    var received = 0
    /// The sizes of the rows in flight are added, those of received rows subtracted.
    var bytes = 0
    var sizes: [Int] = []
    var requested = 0
    var current = BatchResult(changedRows: 0)
    var hasIntegers: Bool

    init(
      _ statement: PostgresStatement, _ handle: OpaquePointer, _ deadline: Deadline, count: Int
    ) {
      self.statement = statement
      connection = statement.connection
      self.handle = handle
      self.deadline = deadline
      self.count = count
      hasIntegers = statement.columns.first.map { $0.type == .bigint } ?? false
    }

    mutating func run(
      _ bind: (Int, inout ParameterBuffer) throws -> Void,
      _ result: (Int, BatchResult) throws -> Void
    ) throws {
      while received < count {
        try sendMore(bind)
        try receiveSome(result)
      }
      while connection.openSyncs > 0 {
        guard let answer = try connection.nextResult(handle, deadline, statement.sql) else {
          throw connection.lastFailure(statement.sql)
        }
        defer { PQclear(answer) }
        guard PQresultStatus(answer) == PGRES_PIPELINE_SYNC else {
          throw PostgresError(result: answer, sql: statement.sql)
        }
        connection.openSyncs -= 1
      }
    }

    private var isFull: Bool {
      sent - received >= PostgresStatement.rowsInFlight || bytes >= PostgresStatement.bytesInFlight
    }

    private mutating func sendMore(
      _ bind: (Int, inout ParameterBuffer) throws -> Void
    ) throws {
      while sent < count, !isFull {
        statement.parameters.clear()
        do {
          try statement.described { try bind(sent, &statement.parameters) }
        } catch var error as PostgresError {
          error.rowIndex = sent
          throw error
        }
        try statement.send(statement.parameters)
        sizes.append(statement.parameters.size)
        bytes += statement.parameters.size
        sent += 1
        if sent - requested >= PostgresStatement.rowsPerRequest { try request() }
      }
      if sent == count, requested <= count {
        try connection.sync(handle, statement.sql)
        requested = count + 1
      } else if isFull, requested < sent {
        try request()
      }
    }

    private mutating func request() throws {
      try connection.sent(PQsendFlushRequest(handle), statement.sql)
      requested = sent
    }

    /// Waits for the server, and takes what has arrived.
    private mutating func receiveSome(_ result: (Int, BatchResult) throws -> Void) throws {
      if PQisBusy(handle) != 0 { try connection.receive(handle, deadline, statement.sql) }
      while received < sent, PQisBusy(handle) == 0 {
        guard let answer = PQgetResult(handle) else {
          let index = received
          bytes -= sizes[received]
          received += 1
          let done = current
          current = BatchResult(changedRows: 0)
          try result(index, done)
          continue
        }
        defer { PQclear(answer) }
        try take(answer)
      }
    }

    private mutating func take(_ answer: OpaquePointer) throws {
      do {
        try connection.check(answer, statement.sql)
      } catch var error as PostgresError {
        error.rowIndex = received
        throw error
      }
      current.changedRows = PQcmdTuples(answer).flatMap { Int(String(cString: $0)) } ?? 0
      guard hasIntegers, PQntuples(answer) > 0, PQgetisnull(answer, 0, 0) == 0,
        let start = PQgetvalue(answer, 0, 0)
      else { return }
      current.integer = try PostgresDecoding.integer(
        UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(answer, 0, 0))), .bigint)
    }
  }
}
