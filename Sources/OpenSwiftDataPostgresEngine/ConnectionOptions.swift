/// What a connection does besides the parameters of libpq.
package struct ConnectionOptions: Sendable {
  /// How statements are prepared.
  package enum Statements: Sendable, Equatable {
    /// The server keeps this many prepared statements for each connection.
    case prepared(Int)
    /// The server keeps none: for tables that change.
    case unnamed
    /// The server keeps none, and sessions have no settings: for poolers that give each transaction
    /// another connection, such as PgBouncer with `pool_mode = transaction`.
    case pooled
  }

  /// How long to try each host, with all its addresses. The parameter `connect_timeout` has precedence.
  package var connectTimeout: Duration = .seconds(10)

  /// Returns the addresses of a host name in the order of the attempts. Tests replace it.
  package var lookUp: @Sendable (String) throws -> [String] = HostAddresses.lookUp

  // The limits replace those that the server has for the role or the database; `nil` is no limit.

  /// How long a statement may run. The server gets the same limit, so that it also ends statements of
  /// a client that does not exist any more.
  package var statementTimeout: Duration? = .seconds(60)

  /// How long a statement waits for a lock. It ends before the time of the statement does, so that its error
  /// tells the reason.
  package var lockTimeout: Duration? = .seconds(10)

  /// After which time without a statement the server ends an open transaction.
  package var idleInTransactionTimeout: Duration? = .seconds(300)

  /// How much longer than its limit a call may take, to receive the server's answer to a
  /// cancellation. Without an answer the connection is closed.
  package var cancellationGrace: Duration = .seconds(1)

  package var statements: Statements = .prepared(256)

  /// The name in `pg_stat_activity`, unless the parameters have one.
  package var applicationName = "OpenSwiftData"

  /// Receives warnings and other notices of the server, on the thread that uses the connection.
  package var log: (@Sendable (PostgresNotice) -> Void)?

  /// Receives the statements of the connection; `nil` if nobody wants them.
  package var tracer: PostgresTracer?

  package init() {}

  /// How long to try each host.
  /// - Parameter resolved: The parameters with those of the environment and of service files.
  func connectTimeout(_ resolved: ConnectionParameters) -> Duration? {
    guard let text = resolved["connect_timeout"], let seconds = Int(text) else {
      return connectTimeout
    }
    // As in libpq, 0 means no limit.
    return seconds > 0 ? .seconds(seconds) : nil
  }

  /// The server's settings for these limits; 0 for none.
  var settings: [(name: String, milliseconds: Int32)] {
    let lockTimeout = [lockTimeout, statementTimeout.map { $0 * 9 / 10 }].compactMap(\.self).min()
    return [
      ("statement_timeout", statementTimeout), ("lock_timeout", lockTimeout),
      ("idle_in_transaction_session_timeout", idleInTransactionTimeout),
    ].map { name, limit in (name, limit.map { max($0.milliseconds, 1) } ?? 0) }
  }
}
