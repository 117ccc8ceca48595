import Foundation

/// Finds out whether a transaction was committed whose connection was lost during the commit.
///
/// A new connection asks for the state of the transaction by its number. While the server still works
/// on it, or restarts, it is asked again.
struct CommitOutcome {
  /// The limit of connecting, and of each of the two statements of an attempt.
  private static let attemptLimit = Duration.seconds(2)

  private let parameters: ConnectionParameters
  private let options: ConnectionOptions

  init(_ parameters: ConnectionParameters, _ options: ConnectionOptions) {
    self.parameters = parameters
    var options = options
    options.connectTimeout = min(options.connectTimeout, CommitOutcome.attemptLimit)
    options.statementTimeout = min(
      options.statementTimeout ?? CommitOutcome.attemptLimit, CommitOutcome.attemptLimit)
    self.options = options
  }

  private static let query =
    "SELECT CASE txid_status($1) WHEN 'committed' THEN 1 WHEN 'aborted' THEN 0 END"

  /// - Parameter limit: The time after which no further attempt begins. The last one takes at most
  ///   9 s.
  /// - Returns: `nil` if the server can't be reached, or does not know.
  func find(_ number: Int64, within limit: Duration) -> Bool? {
    let deadline = Deadline(after: limit)
    while true {
      if let state = try? state(of: number) { return state == 1 }
      if deadline.isPast { return nil }
      Thread.sleep(forTimeInterval: 0.1)
    }
  }

  /// - Returns: `nil` while the transaction runs.
  private func state(of number: Int64) throws -> Int64? {
    let connection = try PostgresConnection(
      parameters, options: options, within: CommitOutcome.attemptLimit)
    let statement = try connection.prepare(CommitOutcome.query)
    try statement.bind(.integer(number))
    return try statement.integer()
  }
}
