import OpenSwiftDataPostgresEngine
package import SwiftData

extension PostgresConnection: SQLSession {
  package func statement(_ sql: String) throws -> any PreparedSQL { try prepare(sql) }

  package func rows(of reads: [SQLRead]) throws -> [ReadRows] {
    let statements = try reads.map { read in
      let statement = try prepare(read.sql)
      try statement.bind(read.parameters)
      return statement
    }
    return try rows(of: statements) { try $1.read(reads[$0].reading) }
  }

  package func results(of statements: [BatchStatement]) throws -> [StatementResult] {
    let prepared = try statements.map { statement in
      let prepared = try prepare(statement.sql)
      try prepared.bind(statement.parameters)
      return prepared
    }
    return try rows(of: prepared) { _, rows in
      let integers = try rows.integers()
      return StatementResult(integers: integers, changedRows: rows.changedRows)
    }
  }

  package func execute(_ sql: String) throws { try execute(sql, value: { _ in }) }

  package func begin() throws { try begin(.write) }

  package func begin(_ access: WriteAccess) throws {
    switch access {
    case .optimistic, .shared: try begin(.serializableWrite)
    case .exclusive: try begin(.write)
    }
    // One inside another can be undone without the other.
    isOptimistic = access == .optimistic
  }

  package var runsBesideWriters: Bool { isSerializable }

  package func requireLater(_ sql: String, _ parameters: SQLParameters) throws {
    try statement(RequiredRow.statement(requiring: sql)).runLater(parameters)
  }

  /// Waits for other writers at most as long as the limit, or as the connection's lock time-out.
  package func beginEnclosingTransaction(_ access: WriteAccess, within limit: Duration?) throws {
    try beginEnclosing(access == .exclusive ? .write : .serializableWrite, within: limit)
  }

  package func endAfterNextTransaction() { endAfterNextInner() }

  package func interrupt() { cancel() }

  package func settleInterruption() { settleCancellation() }

  package var failure: (any Error)? { failureOfTransaction }

  package func commitEnclosingTransaction() throws { try commitEnclosing() }

  package func rollbackEnclosingTransaction() { rollbackEnclosing() }

  package func transaction<R>(_ body: () throws -> R) throws -> R { try transaction(.write, body) }

  /// Never changes: the server does not report changes of other connections.
  package func changeStamp() throws -> ChangeStamp { ChangeStamp(others: 0, own: 0) }
}

extension PostgresError: DatabaseFailure {
  package var exceededIndexLimit: String? {
    // The state stands for other limits too.
    guard state == .programLimitExceeded,
      routine == "_bt_check_third_page" || routine?.hasPrefix("index_form_tuple") == true
    else { return nil }
    return "An index of PostgreSQL takes about 2,700 bytes of each row, after compression."
  }
}

extension PostgresError: ConflictingWrite {
  package var obstacle: WriteObstacle? {
    // Statements after the first error are refused because of it.
    let error = causes.first ?? self
    if error.isOutcomeUnknown || error.state == .lockNotAvailable { return nil }
    if error.isLossOfConnection { return .lostConnection }
    if RequiredRow.isMissing(error) { return .missingRow }
    if error.isUniquenessViolation {
      return error.isTakenKey ? .takenKey : .unseenValue
    }
    let isDisturbed =
      error.repetition == .transaction || PostgresSchemaMonitor.isFailedCheck(error)
      || PostgresNumbers.isMissingText(error)
    return isDisturbed ? .concurrentChange : nil
  }

  /// Whether a primary key rejected a row. All of them have the same column.
  var isTakenKey: Bool { isUniquenessViolation && constrainedColumns == ["Z_PK"] }
}
