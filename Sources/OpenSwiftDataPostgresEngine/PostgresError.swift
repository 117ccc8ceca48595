/// An error of a PostgreSQL server, of a connection to it, or of a value that it cannot store.
///
/// Neither passwords nor stored values are in it: values are bound, details that repeat them are not
/// kept, and quoted values in messages about data are replaced.
package struct PostgresError: Error, Sendable {
  package enum Kind: Sendable {
    /// The server rejected a statement.
    case server
    /// The connection could not be opened, or was lost.
    case connection
    /// A time limit was exceeded.
    case timeout
    /// The call was cancelled.
    case cancelled
    /// The server's answer cannot be understood.
    case invalidAnswer
    /// A value cannot be sent or read.
    case value
    /// All connections of the pool are in use.
    case busy
    /// The pool was closed.
    case closed
    /// The caller used the connection wrongly.
    case misuse
  }

  /// Whether and how the work can be repeated.
  package enum Repetition: Sendable {
    /// It would fail again.
    case never
    /// The whole transaction, at once: another transaction was in its way.
    case transaction
    /// The whole transaction, on a new connection.
    case onNewConnection
    /// After reading the row that already has the unique values.
    case afterReading
    /// Only after checking what is stored: the commit may have happened.
    case afterChecking
  }

  package let kind: Kind
  /// The server's classification; `nil` if no server reported the error.
  package var state: SQLState?
  package let message: String
  /// The server's suggestion.
  package var hint: String?
  /// What to do, if neither the kind nor the state says it.
  package var remedy: String?
  /// What depends on the object that a statement drops or alters, as the server lists it.
  package var dependents: String?
  package var schema: String?
  package var table: String?
  package var column: String?
  /// The constraint or unique index that rejected a row.
  package var constraint: String?
  /// The columns of a violated unique constraint, if the server named them.
  package var constrainedColumns: [String] = []
  /// The statement that failed, if there was one.
  package var sql: String?
  /// The server and the database, without secrets.
  package var database: String?
  /// The number of the row in a batch, from 0.
  package var rowIndex: Int?
  /// The number of the parameter, from 1.
  package var parameter: Int?
  /// Whether the change may have been committed although the call failed.
  package var isOutcomeUnknown = false
  /// Whether the server has ended the session because of it.
  package var endsSession = false
  /// Whether a connection was lost that had been open.
  package var isLossOfConnection = false
  /// The earlier errors, from the first one on, for which the server refuses statements of a
  /// transaction.
  package var causes: [PostgresError] = []
  /// The function of the server that reported the error.
  package var routine: String?

  package init(_ kind: Kind, _ message: String, state: SQLState? = nil, sql: String? = nil) {
    self.kind = kind
    self.message = message
    self.state = state
    self.sql = sql
  }
}

extension PostgresError {
  /// Whether a unique index or a primary key rejected a row.
  package var isUniquenessViolation: Bool { state == .uniqueViolation }

  /// Whether the prepared statement no longer fits, because tables were changed or because the
  /// connection leads to another server process than before.
  var isStalePreparedStatement: Bool {
    switch state {
    case .featureNotSupported?: routine == "RevalidateCachedQuery"
    case .unknownPreparedStatement?, .duplicatePreparedStatement?: true
    default: false
    }
  }

  /// The error with the state for servers that only read: a standby refuses the begin of a transaction that
  /// writes as a feature that it lacks.
  var namingStandby: PostgresError {
    guard state == .featureNotSupported, sql?.hasPrefix("BEGIN") == true else { return self }
    var error = self
    error.state = .readOnlyTransaction
    return error
  }

  package var repetition: Repetition {
    if isOutcomeUnknown { return .afterChecking }
    if isStalePreparedStatement { return .transaction }
    switch state {
    case .serializationFailure?, .deadlock?, .lockNotAvailable?: return .transaction
    case .statementCompletionUnknown?: return .afterChecking
    case .uniqueViolation?: return .afterReading
    case .adminShutdown?, .crashShutdown?, .cannotConnectNow?, .idleSessionTimeout?,
      .idleInTransactionTimeout?, .transactionTimeout?, .readOnlyTransaction?, .tooManyConnections?:
      return .onNewConnection
    case let state? where state.category == "08": return .onNewConnection
    default: return kind == .connection && state == nil ? .onNewConnection : .never
    }
  }

  /// The error with the messages of several attempts to connect, if they differ.
  func joined(with attempts: [PostgresError], database: String) -> PostgresError {
    var messages: [String] = []
    for message in attempts.map(\.message) where !messages.contains(message) {
      messages.append(message)
    }
    var error = PostgresError(kind, messages.joined(separator: "; "), state: state)
    (error.hint, error.remedy) = (hint, remedy)
    error.database = messages.count == 1 ? self.database : database
    return error
  }

  func with(sql: String?, database: String?) -> PostgresError {
    var error = self
    error.sql = error.sql ?? sql
    error.database = error.database ?? database
    return error
  }
}
