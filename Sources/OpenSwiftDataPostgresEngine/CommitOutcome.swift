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
/// 2. The transaction was committed if it has left its rows. If others may have removed these since then, that
///    is not known.
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

  /// Null while the transaction runs, and on a replica, which may lack it.
  private static let query = """
    SELECT CASE WHEN NOT pg_is_in_recovery() THEN \
    CASE txid_status($1) WHEN 'committed' THEN 1 WHEN 'aborted' THEN 0 END END
    """

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
      switch try? answer(transaction) {
      case .committed?: return true
      case .notCommitted?: return false
      case .unknown?: return nil
      case .pending?, nil: if deadline.isPast { return nil }
      }
      Thread.sleep(forTimeInterval: 0.1)
    }
  }

  private enum Answer {
    case committed
    case notCommitted
    /// The transaction may still run.
    case pending
    /// The rows do not tell, and never will.
    case unknown

    init(_ wasCommitted: Bool?, otherwise: Answer) {
      self = wasCommitted.map { $0 ? .committed : .notCommitted } ?? otherwise
    }
  }

  private func answer(_ transaction: LostTransaction) throws -> Answer {
    let connection = try PostgresConnection(
      parameters, options: options, within: CommitOutcome.attemptLimit)
    switch transaction {
    case .number(let number, let proof):
      let wasCommitted = try wasCommitted(number, connection)
      guard wasCommitted == true, let proof else {
        return Answer(wasCommitted, otherwise: .pending)
      }
      return Answer(try exists(proof, connection), otherwise: .unknown)
    case .sentAtOnce(let process, let proof):
      let end = try connection.prepare(CommitOutcome.endProcess)
      try end.bind(.integer(process.number), .integer(process.started))
      guard try end.integer() == 0 else { return .pending }
      return Answer(try exists(proof, connection), otherwise: .unknown)
    }
  }

  /// - Returns: `nil` while the transaction runs, and on a replica.
  private func wasCommitted(_ number: Int64, _ connection: PostgresConnection) throws -> Bool? {
    let statement = try connection.prepare(CommitOutcome.query)
    try statement.bind(.integer(number))
    do {
      return try statement.integer().map { $0 == 1 }
    } catch let error as PostgresError where error.state == CommitOutcome.futureNumber {
      return false
    }
  }

  /// - Returns: `nil` if that can't be told.
  private func exists(_ proof: CommitProof, _ connection: PostgresConnection) throws -> Bool? {
    let rows = try connection.prepare(proof.sql)
    try rows.bind(proof.parameters + (proof.alternatives.map { [.array($0)] } ?? []))
    return try rows.integer().map { $0 > 0 }
  }
}

/// What is known of a transaction whose connection was lost during the commit.
package enum LostTransaction: Sendable {
  /// The number had arrived before the commit was sent.
  case number(Int64, CommitProof?)
  /// No answer has arrived, because all statements were sent with the commit.
  case sentAtOnce(ServerProcess, CommitProof)
}

/// Rows that exist if a transaction was committed.
package struct CommitProof: Sendable {
  /// Counts the rows; null if they may have existed.
  package let sql: String
  package let parameters: [PostgresValue]
  /// Values of which any row may have any: the elements of one more parameter, an array. `nil` if there is none.
  /// A transaction with many parts appends one for each.
  package var alternatives: [PostgresValue]?
  /// Whether no other transaction leaves such rows. Otherwise the number of the transaction is needed
  /// too.
  package let isUnique: Bool

  package init(
    _ sql: String, _ parameters: [PostgresValue] = [], alternatives: [PostgresValue]? = nil,
    isUnique: Bool = false
  ) {
    self.sql = sql
    self.parameters = parameters
    self.alternatives = alternatives
    self.isUnique = isUnique
  }
}
