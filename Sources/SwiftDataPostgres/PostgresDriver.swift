import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLSyntax
import SwiftData

/// The driver of the relational engine for one PostgreSQL database.
///
/// Connections and statements of `OpenSwiftDataPostgresEngine` are the sessions and prepared
/// statements. Each writing transaction begins with a lock of one table, which no reader needs:
///
/// - An ordinary save takes a lock that other saves take too. The server isolates them from each other
///   (`SERIALIZABLE`), and fails one of two that disturb each other; the engine repeats it. So
///   each rule that the engine checks by reading holds, whatever others write.
/// - Work that can't be repeated, and a save that was disturbed too often, takes a lock that excludes
///   all other writers.
struct PostgresDriver: SQLDriver {
  let pool: PostgresPool
  let mapping: SchemaMapping

  var capabilities: SQLCapabilities { .postgreSQL }

  /// All values are stored in rows.
  var externalValues: (any ExternalValueStore)? { nil }

  let numbers: PostgresNumbers

  var sharedNumbers: (any SharedNumbers)? { numbers }

  init(pool: PostgresPool, mapping: SchemaMapping) {
    self.pool = pool
    self.mapping = mapping
    numbers = PostgresNumbers(mapping)
  }

  /// How saves begin. The lock comes before the first statement that reads, so that the transaction
  /// sees what those before it have committed. The number tells what became of a transaction whose
  /// connection is lost.
  private static let preambles: [TransactionKind: [String]] = {
    func preamble(_ mode: String) -> [String] {
      ["LOCK TABLE \"Z_PRIMARYKEY\" IN \(mode) MODE", "SELECT txid_current()"]
    }
    return [
      .serializableWrite: preamble("ROW EXCLUSIVE"), .write: preamble("SHARE ROW EXCLUSIVE"),
    ]
  }()

  func read<R>(_ body: (any SQLSession) throws -> R) throws -> R {
    do {
      return try pool.read("a fetch") { try body($0) }
    } catch let last as PostgresError {
      let error = last.causes.first ?? last
      throw SwiftDataError.storeReadFailure.with(
        "The store can't be read. The context is unchanged.", entity: entity(of: error)?.name,
        underlying: error)
    }
  }

  func write<R>(else consequence: String, _ body: (any SQLSession) throws -> R) throws -> R {
    try translating(else: consequence) {
      try pool.write("a change") { connection in
        connection.preambles = PostgresDriver.preambles
        connection.defersStatements = true
        return try body(connection)
      }
    }
  }

  func leaseWriter(within limit: Duration?) throws -> any SQLWriterLease {
    try translating(else: PostgresWriterLease.consequence) {
      let lease = try pool.lease(within: limit)
      lease.connection.preambles = PostgresDriver.preambles
      lease.connection.defersStatements = true
      return PostgresWriterLease(driver: self, lease: lease)
    }
  }

  fileprivate func translating<R>(else consequence: String, _ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let last as PostgresError {
      // Statements after the first error are refused because of it.
      let error = last.causes.first ?? last
      let entity = entity(of: error)
      if error.isTakenKey, let table = error.table { numbers.noteTakenKey(in: table) }
      guard !error.isUniquenessViolation else {
        throw SwiftDataError.modelValidationFailure.with(
          "Another model has the same value, but the property is unique; \(consequence). Give one of "
            + "them another value.", entity: entity?.name,
          property: properties(of: error, entity), underlying: error)
      }
      throw SwiftDataError.storeWriteFailure.with(
        PostgresDriver.text(of: error, else: consequence), entity: entity?.name,
        property: properties(of: error, entity), underlying: error)
    }
  }

  private static func text(of error: PostgresError, else consequence: String) -> String {
    if error.isOutcomeUnknown {
      return
        "The connection was lost during the commit, and the server did not tell what became of it. "
        + "Either all changes were stored, or none. Fetch the models before saving them again."
    }
    if error.obstacle == .concurrentChange {
      return "Other writers changed the same rows at the same time; \(consequence). Do it again."
    }
    return "The store can't be written; \(consequence)."
  }

  private func parameterColumn(of error: PostgresError) -> ParameterColumn? {
    guard let number = error.parameter, let sql = error.sql else { return nil }
    return ParameterColumn(of: number, in: sql)
  }

  private func entity(of error: PostgresError) -> EntityMapping? {
    (error.table ?? parameterColumn(of: error)?.table).flatMap { table in
      mapping.entities.first { $0.table == table }
    }
  }

  private func properties(of error: PostgresError, _ entity: EntityMapping?) -> String? {
    let named = error.column ?? parameterColumn(of: error)?.column
    let columns = named.map { [$0] } ?? error.constrainedColumns
    if columns.isEmpty { return nil }
    return columns.map { column in
      entity?.properties.first { property in
        entity?.columns(of: property).contains { $0.name == column } ?? false
      }?.name ?? column
    }.joined(separator: ", ")
  }
}

private final class PostgresWriterLease: SQLWriterLease {
  static let consequence = "nothing was saved"

  private let driver: PostgresDriver
  private let lease: PostgresPool.Lease

  init(driver: PostgresDriver, lease: PostgresPool.Lease) {
    self.driver = driver
    self.lease = lease
  }

  func use<R>(_ body: (any SQLSession) throws -> R) throws -> R {
    try driver.translating(else: PostgresWriterLease.consequence) { try body(lease.connection) }
  }

  func end() { lease.end() }
}
