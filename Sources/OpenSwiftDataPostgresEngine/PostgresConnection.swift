import OpenSwiftDataCPostgres

/// A connection to a PostgreSQL server. All calls block until the server has answered, or until their
/// time limit.
///
/// Not thread-safe, except for `cancel()`: one user at a time, which `PostgresPool` ensures.
///
/// 1. `init` connects, host by host.
/// 2. `prepare(_:)` prepares a text once, and learns the types of its parameters and columns from
///    the server. The statement is run with values in binary form.
/// 3. Each call sends, and waits in `poll` for the socket, its deadline or a cancellation
///    (`PostgresConnection+Waiting`).
/// 4. After a time-out or an error the rest of the answer is read. Where that fails, the connection is
///    closed, and every later call throws.
package final class PostgresConnection {
  /// The server and the database, without secrets.
  package let database: String

  package let options: ConnectionOptions

  /// The handle of libpq; `nil` after `close`.
  var handle: OpaquePointer?

  let statements: PreparedStatements

  let cancellation: Cancellation

  /// libpq refers to it without retaining it.
  let notices: NoticeReceiver

  /// The error that made the server refuse all further statements of the transaction.
  var transactionFailure: PostgresError?

  /// Whether a transaction was open when the last exchange with the server began.
  var isInTransaction = false

  /// Whether an exchange runs: its rows may be being read.
  var isExchanging = false

  /// Whether an answer that ends the session may come from behind a commit: all before it were received.
  var awaitsCommit = false

  /// The number of open transactions inside an enclosing one; `nil` if no transaction encloses
  /// others.
  var innerTransactions: Int?

  /// For each enclosing transaction inside another one, the number of transactions that contain it, without
  /// the outermost.
  var enclosedDepths: [Int] = []

  /// Whether the enclosing transaction ends with the next one inside.
  var endsWithInner = false

  /// The statements with which transactions begin, by their kind: locks, and settings. They must not
  /// read before the last lock. A value that they return is the `transactionNumber`.
  package var preambles: [TransactionKind: [String]] = [:]

  /// The kind of the last transaction that was begun; an inner one does not change it.
  var transactionKind: TransactionKind?

  /// The server's number of the running transaction, if the preamble has asked for it.
  var transactionNumber: Int64?

  /// Whether statements of the running transaction, or of the inner one, fail it if what its user expects is
  /// not true. Only noted here.
  package var isOptimistic = false

  /// Rows of the running transaction that exist if it was committed.
  package var commitProof: CommitProof?

  /// The server's process for this connection, if it was asked for and has no other connections.
  var process: ServerProcess?

  /// Whether the server was asked for the process.
  var isProcessKnown = false

  /// Finds out whether a transaction was committed whose connection was lost during the commit; `nil`
  /// if that can't be found out.
  var findOutcome: ((LostTransaction) -> Bool?)?

  /// Whether statements without results may wait for the next one of the transaction, with which they
  /// are sent. Errors of the former are thrown by the latter.
  package var defersStatements = false

  /// Whether the begin of a transaction may wait. Tests turn it off, to disturb a transaction that has
  /// begun.
  @TaskLocal package static var defersBegin = true

  /// Whether the begin of a snapshot waits for its first statement. Otherwise a server that can't be
  /// reached is noticed by the begin, before the caller has done anything.
  package var defersSnapshots = true

  /// Whether the server has not answered the commit of a snapshot yet. Nobody needs the answer, so it
  /// is read before the next exchange.
  var isSnapshotEnding = false

  /// The statements that wait.
  var deferred: [DeferredStatement] = []

  /// Whether the begin of the running transaction waits.
  var isBeginDeferred = false

  /// How much longer than others the exchange may take that sends the deferred begin, because its preamble waits
  /// for locks.
  var beginWait = Duration.zero

  /// Whether a value was sent or read that made the buffers of libpq large: they never shrink.
  package internal(set) var hasLargeBuffers = false

  /// Whether a large message is being sent.
  var isSendingLarge = false

  /// When the server last took a part of a large message of the exchange: the time limit begins then.
  var lastTaken: ContinuousClock.Instant?

  /// Whether the server has refused to write, such as one that became a standby.
  var refusesWrites = false

  /// The number of `PQpipelineSync` calls that the server has not answered.
  var openSyncs = 0

  /// The number of exchanges with the server since the connection was opened.
  package internal(set) var roundTrips = 0

  /// Receives the statements; `nil` if nobody wants them.
  var tracer: PostgresTracer?

  /// When the statement that is reported next began.
  var traceStart: ContinuousClock.Instant?

  /// The statement whose answer an interrupted exchange has waited for, if it is not that of the exchange.
  var interruptedSQL: String?

  /// The number of statements that were prepared.
  package internal(set) var preparedCount = 0

  /// Connects to the first host that accepts the connection.
  /// - Parameter limit: A limit for all hosts together, besides that of each host.
  /// - Throws: `PostgresError`.
  package init(
    _ parameters: ConnectionParameters, options: ConnectionOptions = ConnectionOptions(),
    within limit: Duration? = nil
  ) throws {
    self.options = options
    tracer = options.tracer
    database = parameters.description
    notices = NoticeReceiver(options.log)
    let wake = try WakePipe()
    let opening = ConnectionOpening(parameters, options, notices, deadline: Deadline(after: limit))
    let handle = try opening.open()
    self.handle = handle
    cancellation = Cancellation(handle, wake: wake)
    statements = PreparedStatements(options.statements)
  }

  deinit { close() }

  /// Closes the connection; the server rolls back an open transaction.
  package func close() {
    guard let handle else { return }
    self.handle = nil
    // In non-blocking mode the farewell to the server does not wait.
    PQfinish(handle)
    statements.removeAll()
    transactionFailure = nil
    deferred = []
    isBeginDeferred = false
    isSnapshotEnding = false
    openSyncs = 0
  }

  /// Makes the call that runs on another thread throw an error of kind `cancelled`.
  package func cancel() { cancellation.request() }

  /// Waits until the server has received what `cancel` asked for, or closes the connection: a request that
  /// arrives later would cancel the next statement.
  package func settleCancellation() {
    if !cancellation.waitForServer(options.cancellationGrace) { close() }
  }

  package var isOpen: Bool { handle.map { PQstatus($0) == CONNECTION_OK } ?? false }

  /// Whether later uses may have the connection. After one to a standby, another host may accept changes.
  var isKept: Bool { isOpen && !hasLargeBuffers && !refusesWrites }

  /// The version of the server, such as 150004.
  package var serverVersion: Int { handle.map { Int(PQserverVersion($0)) } ?? 0 }

  /// The process of the server for this connection.
  package var serverProcess: Int32 { handle.map { PQbackendPID($0) } ?? 0 }

  /// Whether the connection is encrypted with TLS.
  package var usesTLS: Bool { handle.map { PQsslInUse($0) != 0 } ?? false }

  /// A setting that the server reports, such as `server_encoding`.
  package func reportedSetting(_ name: String) -> String? {
    handle.flatMap { PQparameterStatus($0, name) }.map { String(cString: $0) }
  }

  /// A text as a name in SQL.
  package static func quoted(_ name: String) -> String { quoted(name, with: "\"") }

  /// A text in quotes; quotes inside it are doubled. A quote with a mark after it is another character,
  /// so scalars are examined.
  static func quoted(_ text: String, with quote: Unicode.Scalar) -> String {
    var quoted = String(quote)
    for scalar in text.unicodeScalars {
      if scalar == quote { quoted.unicodeScalars.append(quote) }
      quoted.unicodeScalars.append(scalar)
    }
    quoted.unicodeScalars.append(quote)
    return quoted
  }

  /// A text in SQL, whatever the server's setting `standard_conforming_strings`.
  package static func literal(_ text: String) -> String {
    "E'" + text.replacing("\\", with: "\\\\").replacing("'", with: "''") + "'"
  }
}
