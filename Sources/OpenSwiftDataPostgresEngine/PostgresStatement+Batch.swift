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
  /// All rows are written or none: outside of a transaction the batch is one. On the
  /// server the time limit of a statement is that of each row, here that of the next results.
  /// - Parameters:
  ///   - bind: Sets all parameters of the row with this number, from 0.
  ///   - result: Called for each row, in order, while later ones may already have run.
  /// - Throws: `PostgresError` with `rowIndex`; the transaction must be rolled back then.
  package func runBatch(
    _ count: Int,
    bind: (Int, inout ParameterBuffer) throws -> Void,
    result: (Int, BatchResult) throws -> Void = { _, _ in }
  ) throws {
    if count == 0 { return }
    try runBatch(
      { send in
        for index in 0..<count {
          do {
            try described { try bind(index, &parameters) }
          } catch var error as PostgresError {
            error.rowIndex = index
            throw error
          }
          try send()
        }
      }, result: result)
  }

  /// Runs the statement once for each call of a function, with few round trips.
  ///
  /// All rows are written or none: outside of a transaction the batch is one. On the
  /// server the time limit of a statement is that of each row, here that of the next results.
  /// - Parameters:
  ///   - rows: Binds the parameters of a row and calls the function that it gets, for each row. The
  ///     function sends the values, and clears them.
  ///   - result: Called for each row, in order, while later ones may already have run.
  /// - Throws: `PostgresError` with `rowIndex`; the transaction must be rolled back then.
  package func runBatch(
    _ rows: (_ send: () throws -> Void) throws -> Void,
    result: (Int, BatchResult) throws -> Void = { _, _ in }
  ) throws {
    guard connection.hasOpenTransaction else {
      return try connection.transaction {
        try runBatch(rows, result: result)
      }
    }
    do {
      try connection.exchange(sql) { handle, deadline in
        let kept = try connection.beginPipeline(handle)
        if kept.isEmpty { try connection.sent(PQenterPipelineMode(handle), sql) }
        try withoutActuallyEscaping(result) { result in
          let batch = Batch(self, handle, deadline, kept, result)
          parameters.clear()
          try rows(batch.send)
          try batch.finish()
        }
      }
    } catch let error as PostgresError where error.isStalePreparedStatement {
      forget(because: error)
      throw error
    }
  }

  /// A batch while it runs.
  private final class Batch {
    private let statement: PostgresStatement
    private let connection: PostgresConnection
    private let handle: OpaquePointer
    /// Begins again with each result, and does not include the time of the caller.
    private var deadline: Deadline
    /// The statements before the batch whose results have not arrived.
    private var kept: [DeferredStatement]
    private let result: (Int, BatchResult) throws -> Void
    private let hasIntegers: Bool
    private var sent = 0
    private var received = 0
    /// The sizes of the rows whose results were not received, in their order, and their sum.
    private var sizes: [Int] = []
    private var bytes = 0
    /// The number of rows that were sent when the server was last asked for results.
    private var requested = 0
    private var current = BatchResult(changedRows: 0)
    /// The number of rows that the current run has returned.
    private var returnedRows = 0
    /// The values of the rows, if they are reported.
    private var values: [ParameterBuffer] = []

    init(
      _ statement: PostgresStatement, _ handle: OpaquePointer, _ deadline: Deadline,
      _ kept: [DeferredStatement], _ result: @escaping (Int, BatchResult) throws -> Void
    ) {
      self.statement = statement
      connection = statement.connection
      self.handle = handle
      self.deadline = deadline
      self.kept = kept
      self.result = result
      hasIntegers = statement.columns.first.map { $0.type == .bigint } ?? false
    }

    /// Sends the values that are bound, after waiting until not too many results are missing.
    func send() throws {
      try statement.send(statement.parameters)
      if connection.tracesValues { values.append(statement.parameters.owned) }
      let size = statement.parameters.size
      statement.parameters.clear()
      sizes.append(size)
      bytes += size
      sent += 1
      if sent - requested >= PostgresStatement.rowsPerRequest { try request() }
      // Sends what is in the buffer, and takes results, before the buffers of both sides are full.
      if isFull { deadline.restart() }
      while isFull {
        if requested < sent { try request() }
        try receiveSome()
      }
    }

    func finish() throws {
      deadline.restart()
      try connection.sync(handle, statement.sql)
      while received < sent { try receiveSome() }
      try receiveKept()
      try connection.endPipeline(handle, deadline)
    }

    private func receiveKept() throws {
      if kept.isEmpty { return }
      try connection.receiveDeferred(kept, handle, deadline)
      kept = []
    }

    private var isFull: Bool {
      sent - received >= PostgresStatement.rowsInFlight || bytes >= PostgresStatement.bytesInFlight
    }

    private func request() throws {
      try connection.sent(PQsendFlushRequest(handle), statement.sql)
      requested = sent
    }

    /// Waits for the server, and takes what has arrived.
    private func receiveSome() throws {
      try receiveKept()
      if PQisBusy(handle) != 0 { try connection.receive(handle, deadline, statement.sql) }
      let earlier = received
      defer { if received > earlier { deadline.restart() } }
      while received < sent, PQisBusy(handle) == 0 {
        guard let answer = PQgetResult(handle) else {
          let (index, done) = (received, current)
          bytes -= sizes[received]
          received += 1
          current = BatchResult(changedRows: 0)
          connection.trace(
            statement.sql, index < values.count ? values[index] : nil, rows: returnedRows)
          returnedRows = 0
          try result(index, done)
          continue
        }
        defer { PQclear(answer) }
        try take(answer)
      }
    }

    private func take(_ answer: OpaquePointer) throws {
      do {
        try connection.check(answer, statement.sql)
      } catch var error as PostgresError {
        error.rowIndex = received
        throw error
      }
      returnedRows += Int(PQntuples(answer))
      current.changedRows = PQcmdTuples(answer).flatMap { Int(String(cString: $0)) } ?? 0
      guard hasIntegers, PQntuples(answer) > 0, PQgetisnull(answer, 0, 0) == 0,
        let start = PQgetvalue(answer, 0, 0)
      else { return }
      current.integer = try PostgresDecoding.integer(
        UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(answer, 0, 0))), .bigint)
    }
  }
}
