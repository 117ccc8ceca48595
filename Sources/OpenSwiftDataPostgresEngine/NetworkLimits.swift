import OpenSwiftDataCPostgres

// A network that loses packets tells neither side. The systems of both sides have limits of two hours and
// more, within which a client without a time limit waits, and the server keeps the locks of a client that
// does not exist any more. These limits are shorter.

/// When a peer in the network that does not answer is given up.
private enum NetworkLimits {
  /// After which silence the system asks the peer, in seconds.
  static let idle = 10
  /// The time between two questions, in seconds.
  static let interval = 5
  /// The number of questions without an answer.
  static let count = 4
  /// How long sent bytes may stay unconfirmed, in milliseconds. On Linux it decides for questions too.
  static let unconfirmed = 30_000
  /// How often the server checks during a statement that its client is connected, in milliseconds.
  static let check = 10_000
}

extension ConnectionParameters {
  /// With limits for the sockets of this process, unless they are set. They have no effect on Unix
  /// sockets, and where the system does not have them.
  /// - Parameter resolved: The parameters with those of the environment and of service files.
  func withNetworkLimits(resolved: ConnectionParameters) -> ConnectionParameters {
    var parameters = self
    let limits = [
      ("keepalives_idle", NetworkLimits.idle), ("keepalives_interval", NetworkLimits.interval),
      ("keepalives_count", NetworkLimits.count), ("tcp_user_timeout", NetworkLimits.unconfirmed),
    ]
    for (keyword, limit) in limits where resolved[keyword] == nil {
      parameters[keyword] = "\(limit)"
    }
    return parameters
  }
}

extension PostgresConnection {
  /// Waits until a server works for the new connection, and sets its limits (`limitVanishing`). A pooler may accept
  /// a connection long before it has a server for it: the time limit is that of connecting.
  /// - Throws: `PostgresError`.
  package func requireServer() throws {
    let resolved = handle.map { ConnectionParameters().completed(by: PQconninfo($0)) }
    let limit = options.connectTimeout(resolved ?? ConnectionParameters())
    let deadline = Deadline(after: limit)
    do {
      if options.statements == .pooled {
        // No limit is one of a day.
        try ExchangeCount.pausing { try ping(within: limit ?? .seconds(86_400)) }
      } else {
        try limitVanishing(within: limit)
      }
    } catch let error as PostgresError where error.kind == .timeout && deadline.isPast {
      var refusal = failure(
        .timeout,
        "the server, or a pooler before it, accepted a connection, but no statement within "
          + "\(limit ?? .zero)", state: .connectionFailure)
      refusal.remedy =
        "Check that the server runs and accepts connections. \(PostgresError.poolerRemedy)"
      throw refusal
    }
  }

  /// Lets the server end the session, with its locks, within about 30 seconds after the network has lost
  /// its client, also while a statement runs. If statements have no limit, transactions have none either, unless
  /// the address sets one.
  ///
  /// One round trip; none if the client is on the same machine and statements have a limit. Not behind a pooler,
  /// which is the client of the server. Other settings that the server does not have, or that its
  /// administrator or the address has set, stay as they are.
  /// - Throws: `PostgresError` if the connection is lost.
  private func limitVanishing(within limit: Duration?) throws {
    guard usesNetwork || options.statementTimeout == nil else { return }
    let sockets = [
      ("tcp_keepalives_idle", NetworkLimits.idle),
      ("tcp_keepalives_interval", NetworkLimits.interval),
      ("tcp_keepalives_count", NetworkLimits.count),
      ("tcp_user_timeout", NetworkLimits.unconfirmed),
    ]
    // Some systems refuse the check.
    let all = sockets + [("client_connection_check_interval", NetworkLimits.check)]
    // Servers before PostgreSQL 17 do not have it.
    let transactions = [("transaction_timeout", 0)]
    for settings in [all, sockets] {
      let wanted = settings + (options.statementTimeout == nil ? transactions : [])
      let values = wanted.map { "('\($0)', '\($1)')" }.joined(separator: ", ")
      do {
        return try execute(
          "SELECT set_config(s.name, v.value, false) FROM pg_settings s JOIN (VALUES \(values)) "
            + "v (name, value) ON s.name = v.name WHERE s.source = 'default' "
            + "OR s.name = 'transaction_timeout' AND s.source <> 'client'", within: limit)
      } catch let error as PostgresError where error.kind == .server && isOpen {
        continue
      }
    }
  }

  /// Whether the server is reached over TCP.
  private var usesNetwork: Bool {
    let host = handle.flatMap { PQhost($0) }.map { String(cString: $0) } ?? ""
    return !host.isEmpty && !host.hasPrefix("/") && !host.hasPrefix("@")
  }
}
