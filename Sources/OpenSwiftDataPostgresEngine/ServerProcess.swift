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
