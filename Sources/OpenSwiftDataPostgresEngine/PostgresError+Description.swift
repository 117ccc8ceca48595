extension PostgresError: CustomStringConvertible {
  /// What failed, for which database, and what to do next.
  package var description: String {
    var text = "\(problem): \(message)"
    if let state { text += " (SQLSTATE \(state.rawValue))" }
    if !text.hasSuffix(".") { text += "." }
    if let dependents { text += " Dependents: \(dependents)." }
    if let place { text += " \(place)." }
    if let sql { text += " Statement: \(sql.count > 400 ? sql.prefix(400) + "…" : sql)." }
    if let hint { text += " Hint of the server: \(hint)" }
    if let advice = remedy ?? advice { text += " \(advice)" }
    return text
  }

  private var databaseText: String { database ?? "the PostgreSQL database" }

  private var problem: String {
    switch kind {
    case .server where state?.category == "23":
      "A constraint of \(databaseText) rejects the change"
    case .server: "Error in \(databaseText)"
    case .connection: "No connection to \(databaseText)"
    case .timeout: "\(databaseText) did not answer in time"
    case .cancelled: "The work on \(databaseText) was cancelled"
    case .invalidAnswer: "The answer of \(databaseText) cannot be understood"
    case .value: "A value cannot be stored in or read from \(databaseText)"
    case .busy: "No free connection to \(databaseText)"
    case .closed: "The connections to \(databaseText) were closed"
    case .misuse: "Wrong use of \(databaseText)"
    }
  }

  private var place: String? {
    var parts: [String] = []
    if let constraint { parts.append("constraint \(constraint)") }
    if let table { parts.append("table \(schema.map { $0 + "." } ?? "")\(table)") }
    let columns = column.map { [$0] } ?? constrainedColumns
    if !columns.isEmpty {
      parts.append((columns.count == 1 ? "column " : "columns ") + columns.joined(separator: ", "))
    }
    if let parameter { parts.append("parameter \(parameter)") }
    if let rowIndex { parts.append("row \(rowIndex) of the batch") }
    return parts.isEmpty ? nil : "Concerned: " + parts.joined(separator: ", ")
  }

  /// Whether PgBouncer has no connection to the server, or none for clients, left.
  private var isOfFullPooler: Bool {
    state?.category == "08"
      && ["query_wait_timeout", "no more connections allowed"].contains { message.contains($0) }
  }

  /// Whether a server, or a pooler before it, may refuse one more connection for this reason although it serves
  /// those that are open. Poolers have states of their own for it, and some do not answer.
  var isOfFullServer: Bool {
    kind == .timeout || state == .internalError || ["08", "53"].contains(state?.category)
  }

  /// What to do if a pooler has no connection to the server left.
  static let poolerRemedy =
    "A pooler in session mode needs a connection to the server for each one of its clients: use fewer "
    + "connections in all programs together, or raise the limit of the pooler (default_pool_size, "
    + "max_client_conn)."

  /// Whether a policy of a table refused a row. Servers translate the message, and compatible ones have no
  /// such routine.
  package var isOfRowSecurity: Bool {
    state == .insufficientPrivilege
      && (routine == "ExecWithCheckOptions" || message.contains("row-level security"))
  }

  /// What to do, unless `remedy` says it.
  var advice: String? {
    switch (repetition, kind) {
    case (.afterChecking, _):
      "It is not known whether the change was committed. Read what is stored before repeating it."
    case (.transaction, _) where state == .lockNotAvailable:
      "Another transaction holds the lock for too long: find it in pg_stat_activity, or in "
        + "pg_prepared_xacts if it was prepared (PREPARE TRANSACTION). Then repeat the whole transaction; "
        + "it was rolled back."
    case (.transaction, _): "Repeat the whole transaction; it was rolled back."
    case (.onNewConnection, _) where state == .tooManyConnections:
      "Use fewer connections, or raise the limit that the server names: max_connections, or CONNECTION "
        + "LIMIT of the role or the database."
    case (.onNewConnection, _) where state == .readOnlyTransaction:
      "Connect to the primary server: target_session_attrs=read-write."
    case (.onNewConnection, _) where state == .transactionTimeout:
      "Make the transaction shorter, or raise transaction_timeout of the role or the server."
    case (.onNewConnection, _) where isOfFullPooler: PostgresError.poolerRemedy
    case (.onNewConnection, _) where isLossOfConnection:
      "Check that the server runs and accepts connections, then repeat the whole transaction."
    case (.onNewConnection, _):
      "Check that the server runs and accepts connections, then try again."
    case (.afterReading, _): "Read the row with the same values and update it, or use other values."
    case (.never, .timeout):
      "Raise the time limit, or find out what the server waits for in pg_stat_activity."
    case (.never, .busy):
      "Use more connections, or end the work that holds them sooner."
    case (.never, .invalidAnswer):
      "Check that the address leads to a PostgreSQL server; the connection was closed."
    case (.never, _) where state == .failedTransaction:
      "Roll back the transaction, or enclose what may fail in a savepoint."
    case (.never, _) where dependents != nil:
      "Drop the dependents before the change, and create them again after it; nothing was changed."
    case (.never, _) where state == "3D000":
      "Create the database, or name another one in the address."
    case (.never, _) where state == "3F000":
      "Create a schema of the search_path, or name one that exists."
    case (.never, _) where isOfRowSecurity:
      "The policies of the table do not allow this user to write the row."
    case (.never, _) where state?.category == "28":
      "Check the user, its password, and pg_hba.conf of the server."
    case (.never, _) where state == .insufficientPrivilege:
      "GRANT the missing right to the user. The article PostgreSQL lists the rights of the roles."
    case (.never, _) where state == .diskFull:
      "Free space on the disk of the server; nothing was written. Everything that was committed before "
        + "is stored."
    case (.never, _) where state?.category == "53":
      "Free resources of the server; nothing was written."
    case (.never, _): nil
    }
  }
}
