import Foundation

/// Finds out whether a transaction was committed whose connection was lost during the commit.
///
/// A transaction whose number is known:
/// 1. A new connection asks for its state. While the server still works on it, or restarts, it is asked
///    again.
/// 2. A server that crashes gives numbers a second time, if nothing with them was written to its log. So a
///    committed transaction must also have left its rows (`CommitProof`), and a number that was not given
///    yet was lost in the crash.
///
/// A transaction that was sent together with its commit:
/// 1. A new connection ends the server's process of the lost one, which may still have the statements
///    before it, until there is none. From then on nothing can change.
/// 2. The transaction was committed if it has left its rows.
package struct CommitOutcome {
  /// The limit of connecting, and of each of the two statements of an attempt.
  private static let attemptLimit = Duration.seconds(2)

  private let parameters: ConnectionParameters
  private let options: ConnectionOptions

  package init(_ parameters: ConnectionParameters, _ options: ConnectionOptions) {
    self.parameters = parameters
    var options = options
    options.connectTimeout = min(options.connectTimeout, CommitOutcome.attemptLimit)
    options.statementTimeout = min(
      options.statementTimeout ?? CommitOutcome.attemptLimit, CommitOutcome.attemptLimit)
    self.options = options
  }

  private static let query =
    "SELECT CASE txid_status($1) WHEN 'committed' THEN 1 WHEN 'aborted' THEN 0 END"

  /// The error of the function for a number that was not given yet.
  private static let futureNumber: SQLState = "22023"

  /// Ends a process, and counts it. The time tells it from later ones with the same number. Null on a replica,
  /// which may lack the rows.
  private static let endProcess = """
    SELECT CASE WHEN NOT pg_is_in_recovery() THEN count(pg_terminate_backend(pid)) END \
    FROM pg_stat_activity WHERE pid = $1 AND \(ServerProcess.start) = $2
    """

  /// - Parameter limit: The time after which no further attempt begins. The last one takes at most
  ///   9 s.
  /// - Returns: `nil` if the server can't be reached, or does not know.
  package func find(_ transaction: LostTransaction, within limit: Duration) -> Bool? {
    let deadline = Deadline(after: limit)
    while true {
      if let wasCommitted = try? wasCommitted(transaction) { return wasCommitted }
      if deadline.isPast { return nil }
      Thread.sleep(forTimeInterval: 0.1)
    }
  }

  /// - Returns: `nil` while the transaction runs, or its process.
  private func wasCommitted(_ transaction: LostTransaction) throws -> Bool? {
    let connection = try PostgresConnection(
      parameters, options: options, within: CommitOutcome.attemptLimit)
    switch transaction {
    case .number(let number, let proof):
      guard let wasCommitted = try wasCommitted(number, connection) else { return nil }
      guard wasCommitted, let proof else { return wasCommitted }
      return try exists(proof, connection)
    case .sentAtOnce(let process, let proof):
      let end = try connection.prepare(CommitOutcome.endProcess)
      try end.bind(.integer(process.number), .integer(process.started))
      return try end.integer() == 0 ? exists(proof, connection) : nil
    }
  }

  private func wasCommitted(_ number: Int64, _ connection: PostgresConnection) throws -> Bool? {
    let statement = try connection.prepare(CommitOutcome.query)
    try statement.bind(.integer(number))
    do {
      return try statement.integer().map { $0 == 1 }
    } catch let error as PostgresError where error.state == CommitOutcome.futureNumber {
      return false
    }
  }

  private func exists(_ proof: CommitProof, _ connection: PostgresConnection) throws -> Bool {
    let rows = try connection.prepare(proof.sql)
    try rows.bind(proof.parameters)
    return try rows.integer() ?? 0 > 0
  }
}

/// What is known of a transaction whose connection was lost during the commit.
package enum LostTransaction: Sendable {
  case number(Int64, CommitProof?)
  /// No answer has arrived, because all statements were sent with the commit.
  case sentAtOnce(ServerProcess, CommitProof)
}

/// Rows that exist if a transaction was committed.
package struct CommitProof: Sendable {
  /// Counts the rows.
  package let sql: String
  package let parameters: [PostgresValue]
  /// Whether no other transaction leaves such rows. Otherwise the number of the transaction is needed
  /// too.
  package let isUnique: Bool

  package init(_ sql: String, _ parameters: [PostgresValue], isUnique: Bool = false) {
    self.sql = sql
    self.parameters = parameters
    self.isUnique = isUnique
  }
}

/// A process of the server that works for one connection.
package struct ServerProcess: Sendable {
  let number: Int64
  /// Microseconds since 1970.
  let started: Int64

  package init(number: Int64, started: Int64) {
    self.number = number
    self.started = started
  }

  /// The time as an expression over `pg_stat_activity`.
  static let start = "(extract(epoch FROM backend_start) * 1000000)::bigint"
}

extension PostgresConnection {
  /// Whether it can be found out what became of the running transaction if it is sent together with its
  /// commit.
  var canSendAtOnce: Bool { process != nil && commitProof?.isUnique == true }

  /// What is known of the last transaction; `nil` if that is not enough to find out what became of it.
  var lostTransaction: LostTransaction? {
    if let transactionNumber { return .number(transactionNumber, commitProof) }
    guard let process, let commitProof, commitProof.isUnique else { return nil }
    return .sentAtOnce(process, commitProof)
  }

  /// Asks once by which process the server works for this connection, if that would tell what became of
  /// transactions like the running one. Behind a pooler the process changes with each transaction, and its number
  /// is not that of the connection; then there is no answer.
  func prepareToSendAtOnce() throws {
    guard !isProcessKnown, transactionNumber != nil, commitProof?.isUnique == true else { return }
    let found = try untraced {
      try texts(
        """
        SELECT \(ServerProcess.start)::text FROM pg_stat_activity \
        WHERE pid = pg_backend_pid() AND pid = \(serverProcess)
        """)
    }
    isProcessKnown = true
    process = found.first.flatMap { Int64($0) }.map {
      ServerProcess(number: Int64(serverProcess), started: $0)
    }
  }
}
