import Foundation

/// Finds out whether a transaction was committed whose connection was lost during the commit.
///
/// 1. A new connection asks for the state of the transaction by its number. While the server still works
///    on it, or restarts, it is asked again.
/// 2. A server that crashes gives numbers a second time, if nothing with them was written to its log. So a
///    committed transaction must also have left its rows (`CommitProof`), and a number that was not given
///    yet was lost in the crash.
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

  /// - Parameter limit: The time after which no further attempt begins. The last one takes at most
  ///   9 s.
  /// - Returns: `nil` if the server can't be reached, or does not know.
  package func find(_ number: Int64, _ proof: CommitProof?, within limit: Duration) -> Bool? {
    let deadline = Deadline(after: limit)
    while true {
      if let wasCommitted = try? wasCommitted(number, proof) { return wasCommitted }
      if deadline.isPast { return nil }
      Thread.sleep(forTimeInterval: 0.1)
    }
  }

  /// - Returns: `nil` while the transaction runs.
  private func wasCommitted(_ number: Int64, _ proof: CommitProof?) throws -> Bool? {
    let connection = try PostgresConnection(
      parameters, options: options, within: CommitOutcome.attemptLimit)
    let statement = try connection.prepare(CommitOutcome.query)
    try statement.bind(.integer(number))
    let state: Int64?
    do {
      state = try statement.integer()
    } catch let error as PostgresError where error.state == CommitOutcome.futureNumber {
      return false
    }
    guard let state else { return nil }
    guard state == 1, let proof else { return state == 1 }
    let rows = try connection.prepare(proof.sql)
    try rows.bind(.array(proof.values.map(PostgresValue.double)))
    return try rows.integer() ?? 0 > 0
  }
}

/// Rows that exist if a transaction was committed.
package struct CommitProof: Sendable {
  /// Counts the rows with one of the values, which are its only parameter.
  package let sql: String
  /// One for each part of the transaction. Parts that were rolled back leave no row.
  package var values: [Double]

  package init(_ sql: String, _ values: [Double] = []) {
    self.sql = sql
    self.values = values
  }
}
