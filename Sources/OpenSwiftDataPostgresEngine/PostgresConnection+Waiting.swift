import OpenSwiftDataCPostgres

// Sending and receiving with a deadline. `exchange` encloses everything that one call of the
// connection does with the server.

/// Why a wait ended without an answer.
enum Interruption: Error {
  case timeout
  case cancelled
}

extension PostgresConnection {
  /// Runs an exchange with the server, and leaves the connection ready for the next one, or closed.
  /// - Parameters:
  ///   - limit: The time limit of `body`; the outcome is known, or the connection closed, at most
  ///     two grace periods later. While the server takes a large message, the time does not run.
  ///   - isCommit: Whether the transaction may be committed although the call throws.
  ///   - isCounted: Whether it is a round trip of its own.
  func exchange<R>(
    _ sql: String?, within limit: Duration? = nil, isCommit: Bool = false,
    isCounted: Bool = true, _ body: (OpaquePointer, Deadline) throws -> R
  ) throws -> R {
    guard !isExchanging else {
      throw failure(
        .misuse, "another statement of the connection runs; its rows must be read first", sql: sql)
    }
    try finishSnapshot(within: limit)
    isExchanging = true
    defer { isExchanging = false }
    let handle = try usableHandle(for: sql)
    // libpq does not know this while a statement runs.
    isInTransaction = isBeginDeferred || PQtransactionStatus(handle) == PQTRANS_INTRANS
    // Without an open transaction each statement commits by itself.
    let mayCommit = isCommit || !isInTransaction && !PostgresConnection.onlyReads(sql)
    awaitsCommit = mayCommit && !isCommit
    cancellation.reset()
    (isSendingLarge, lastTaken) = (false, nil)
    var limit = limit ?? callLimit
    if isBeginDeferred { limit = limit.map { $0 + beginWait } }
    let start = ContinuousClock.now
    traceStart = tracer == nil ? nil : start
    if isCounted {
      roundTrips += 1
      ExchangeCount.current?.add()
    }
    do {
      return try body(handle, Deadline(after: limit))
    } catch let interruption as Interruption {
      traceInterrupted(sql, interruption)
      throw settle(
        handle, sql, interruption, after: .now - (lastTaken ?? start), mayCommit: mayCommit)
    } catch let error as PostgresError {
      trace(error.sql ?? sql, nil, rows: 0, failure: error.code)
      throw settle(handle, sql, error, after: .now - (lastTaken ?? start), mayCommit: mayCommit)
    } catch {
      // An error of the caller, such as one thrown while rows are read.
      _ = finish(handle, canBeLong: true)
      throw error
    }
  }

  /// The limit of a call. The server's own limit comes first, because its error is more precise.
  var callLimit: Duration? {
    options.statementTimeout.map { $0 + options.cancellationGrace / 2 }
  }

  /// Throws if the connection is closed or the transaction has failed; the server would refuse the
  /// statement.
  private func usableHandle(for sql: String?) throws -> OpaquePointer {
    guard let handle else { throw failure(.connection, "the connection is closed", sql: sql) }
    guard PQtransactionStatus(handle) == PQTRANS_INERROR else {
      transactionFailure = nil
      return handle
    }
    if let sql, PostgresConnection.endsFailure(sql) { return handle }
    throw refusal("an earlier error aborted the transaction", sql)
  }

  /// The error for a transaction that an earlier error has aborted.
  func refusal(_ message: String, _ sql: String?) -> PostgresError {
    let cause = transactionFailure
    var error = failure(
      .server, message + (cause.map { ": \($0.message)" } ?? ""), state: .failedTransaction,
      sql: sql
    )
    error.causes = cause.map { [$0] } ?? []
    return error
  }

  /// The error that made the server refuse all further statements of the open transaction.
  package var failureOfTransaction: PostgresError? {
    handle.map { PQtransactionStatus($0) } == PQTRANS_INERROR ? transactionFailure : nil
  }

  private static func endsFailure(_ sql: String) -> Bool {
    ["ROLLBACK", "COMMIT"].contains { sql.hasPrefix($0) }
  }

  private static func onlyReads(_ sql: String?) -> Bool {
    guard let sql else { return true }
    return ["SELECT", "BEGIN", "DEALLOCATE", "SHOW"].contains { sql.hasPrefix($0) }
  }

  func failure(
    _ kind: PostgresError.Kind, _ message: String, state: SQLState? = nil, sql: String? = nil
  ) -> PostgresError {
    PostgresError(kind, message, state: state, sql: sql).with(sql: sql, database: database)
  }

  // MARK: Sending and receiving

  /// Throws if a function of libpq that sends has failed.
  func sent(_ result: Int32, _ sql: String?) throws {
    if result != 1 { throw lastFailure(sql) }
  }

  /// The next result; `nil` at the end of the results of one statement.
  func nextResult(_ handle: OpaquePointer, _ deadline: Deadline, _ sql: String?) throws
    -> OpaquePointer?
  {
    while PQisBusy(handle) != 0 { try receive(handle, deadline, sql) }
    return PQgetResult(handle)
  }

  /// Sends what libpq has to send, waits for the socket, and reads what has arrived.
  func receive(_ handle: OpaquePointer, _ deadline: Deadline, _ sql: String?) throws {
    let unsent = sendRest(handle, deadline)
    if unsent < 0 {
      // The server may have said why before it closed the connection.
      PQconsumeInput(handle)
      if PQisBusy(handle) != 0 { throw lastFailure(sql) }
      return
    }
    var events = CPOSTGRES_READABLE
    if unsent > 0 { events |= CPOSTGRES_WRITABLE }
    try wait(for: events, handle, deadline, sql)
  }

  /// Waits until everything was sent, and reads what arrives meanwhile. If the connection is lost, the
  /// next result says so.
  func flush(_ handle: OpaquePointer, _ deadline: Deadline, _ sql: String?) throws {
    while sendRest(handle, deadline) > 0 {
      try wait(for: CPOSTGRES_READABLE | CPOSTGRES_WRITABLE, handle, deadline, sql)
    }
  }

  /// How long a call of `sendRest` waits while the server takes nothing. Meanwhile no cancellation is noticed.
  private static let sendingWait: Int32 = 250

  /// Sends what libpq has to send. Waits only for a server that takes a large message.
  /// - Returns: As `PQflush`: 1 if a part is left.
  private func sendRest(_ handle: OpaquePointer, _ deadline: Deadline) -> Int32 {
    while isSendingLarge {
      // Asked before anything is sent, which would fill the socket.
      let ready = cpostgres_wait(
        PQsocket(handle), -1, CPOSTGRES_READABLE | CPOSTGRES_WRITABLE, 0)
      if ready > 0, ready & CPOSTGRES_WRITABLE != 0 { lastTaken = .now }
      // A server that sends may take nothing before its answers are read.
      guard ready == CPOSTGRES_WRITABLE, !cancellation.isRequested else { break }
      let (left, longest) = (deadline.begun(at: .now).milliseconds, PostgresConnection.sendingWait)
      let unsent = cpostgres_flush_waiting(handle, left < 0 ? longest : min(left, longest))
      if unsent <= 0 {
        (isSendingLarge, lastTaken) = (false, .now)
        return unsent
      }
    }
    let unsent = PQflush(handle)
    if unsent <= 0 { isSendingLarge = false }
    return unsent
  }

  private func wait(
    for events: Int32, _ handle: OpaquePointer, _ deadline: Deadline, _ sql: String?
  ) throws {
    let deadline = lastTaken.map { deadline.begun(at: $0) } ?? deadline
    let found = cpostgres_wait(
      PQsocket(handle), cancellation.wake.reading, events, deadline.milliseconds)
    if found < 0 { throw failure(.connection, "waiting for the socket failed", sql: sql) }
    if found & CPOSTGRES_WOKEN != 0, cancellation.take() {
      throw Interruption.cancelled
    }
    if deadline.isPast { throw Interruption.timeout }
    if found & CPOSTGRES_READABLE != 0, PQconsumeInput(handle) == 0, PQisBusy(handle) != 0 {
      // Otherwise the server has said why it closes the connection: that is the next result.
      throw lastFailure(sql)
    }
  }

  /// The error of the last call of libpq.
  func lastFailure(_ sql: String?) -> PostgresError {
    let text = handle.flatMap { PQerrorMessage($0) }.map { String(cString: $0) } ?? ""
    return PostgresError(libraryMessage: text, sql: sql)
  }

  // MARK: After an error

  private func settle(
    _ handle: OpaquePointer, _ sql: String?, _ interruption: Interruption, after time: Duration,
    mayCommit: Bool
  ) -> PostgresError {
    let wasSending = isSendingLarge
    // The rest of the message has the time of the grace period only.
    (isSendingLarge, lastTaken) = (false, nil)
    cancellation.askServer()
    var answer: PostgresError?
    let rest = finish(handle, canBeLong: false, answer: &answer)
    var error: PostgresError
    switch interruption {
    case .timeout:
      let what = wasSending ? "the server took nothing of a large value" : "no answer"
      let time = Duration.milliseconds(time.milliseconds)
      error = PostgresError(.timeout, "\(what) within \(time)")
    case .cancelled: error = PostgresError(.cancelled, "cancelled by the caller")
    }
    error.state = answer?.state ?? rest?.state
    // Without the server's confirmation it may still commit, as may an answer that came too late.
    error.isOutcomeUnknown = mayCommit && answer?.state != .queryCanceled
    return noted(error.with(sql: sql, database: database))
  }

  private func settle(
    _ handle: OpaquePointer, _ sql: String?, _ error: PostgresError, after time: Duration,
    mayCommit: Bool
  ) -> PostgresError {
    var result = error
    if error.state == .queryCanceled {
      let kind: PostgresError.Kind = isOfTimeLimit(error, after: time) ? .timeout : .cancelled
      result = PostgresError(kind, error.message, state: error.state)
    }
    if result.kind == .invalidAnswer { close() } else { _ = finish(handle, canBeLong: true) }
    if self.handle == nil || !isOpen {
      result = lost(because: result)
      result.isLossOfConnection = result.repetition == .onNewConnection
      result.isOutcomeUnknown = mayCommit && leavesOutcomeOpen(error)
      close()
    }
    return noted(result.with(sql: sql, database: database))
  }

  /// Whether the server has cancelled a statement because of a time limit. It has one state for this and for
  /// requests.
  private func isOfTimeLimit(_ error: PostgresError, after time: Duration) -> Bool {
    if error.message.hasSuffix("statement timeout") { return true }
    if error.message.hasSuffix("user request") || cancellation.isRequested { return false }
    // The message is translated. Behind a pooler only transactions have the limit of this connection.
    if options.statements == .pooled, !isInTransaction { return true }
    return options.statementTimeout.map { time >= $0 * 0.95 } ?? false
  }

  /// Whether a connection that was lost for this reason may have committed before. A server that ends a session
  /// finishes the commit first. It answers in the order of the statements, unless it crashes.
  private func leavesOutcomeOpen(_ error: PostgresError) -> Bool {
    guard let state = error.state else { return true }
    return state == .crashShutdown || state.category == "08" || error.endsSession && awaitsCommit
  }

  /// Adds the reason that the server gave before it closed the connection.
  private func lost(because error: PostgresError) -> PostgresError {
    guard error.state == nil, error.kind == .connection, let farewell = notices.farewell else {
      return error
    }
    return PostgresError(.connection, farewell.message, state: farewell.state)
  }

  /// Keeps the first error that aborted the transaction, for the refusals after it.
  private func noted(_ error: PostgresError) -> PostgresError {
    let error = error.namingStandby
    if error.state == .readOnlyTransaction { refusesWrites = true }
    if let handle, PQtransactionStatus(handle) == PQTRANS_INERROR, transactionFailure == nil {
      transactionFailure = error
    }
    return error
  }

  private func finish(_ handle: OpaquePointer, canBeLong: Bool) -> PostgresError? {
    var answer: PostgresError?
    return finish(handle, canBeLong: canBeLong, answer: &answer)
  }

  /// Reads and discards the rest of the results.
  /// - Parameters:
  ///   - canBeLong: Whether rows may follow that nobody wants. Outside of a transaction the server
  ///     is asked to stop.
  ///   - answer: The first error among the results.
  /// - Returns: An error if that failed; the connection is closed then.
  private func finish(
    _ handle: OpaquePointer, canBeLong: Bool, answer: inout PostgresError?
  ) -> PostgresError? {
    guard self.handle != nil else { return nil }
    let grace = options.cancellationGrace
    // A cancelled statement would abort an open transaction, so its rows are read to the end.
    do {
      let limit =
        canBeLong && isInTransaction ? max(options.statementTimeout ?? grace, grace) : grace
      try drain(handle, Deadline(after: limit), cancelsLong: canBeLong, &answer)
      guard isOpen else { throw lastFailure(nil) }
      // A request that arrives later would cancel the next statement.
      guard cancellation.waitForServer(grace) else { throw Interruption.timeout }
      return nil
    } catch {
      close()
      return error as? PostgresError
    }
  }

  private func drain(
    _ handle: OpaquePointer, _ deadline: Deadline, cancelsLong: Bool, _ answer: inout PostgresError?
  ) throws {
    var count = 0
    if PQpipelineStatus(handle) != PQ_PIPELINE_OFF, openSyncs == 0 {
      try sent(PQpipelineSync(handle), nil)
      openSyncs += 1
    }
    while true {
      let found = try nextResult(handle, deadline, nil)
      if deadline.isPast { throw Interruption.timeout }
      guard let result = found else {
        if openSyncs > 0, isOpen { continue }
        break
      }
      defer { PQclear(result) }
      switch PQresultStatus(result) {
      case PGRES_PIPELINE_SYNC: openSyncs -= 1
      case PGRES_FATAL_ERROR where answer == nil:
        answer = PostgresError(result: result, sql: nil)
      case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
        throw failure(.misuse, "COPY is not supported")
      default: break
      }
      count += 1
      if count == 1000, cancelsLong, !isInTransaction { cancellation.askServer() }
    }
    if PQpipelineStatus(handle) != PQ_PIPELINE_OFF { PQexitPipelineMode(handle) }
  }
}
