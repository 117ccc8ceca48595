import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLSyntax
import SwiftData

/// The driver of the relational engine for one PostgreSQL database.
///
/// Connections and statements of `OpenSwiftDataPostgresEngine` are the sessions and prepared
/// statements. A writing transaction begins with a lock that excludes other writers, as the engine
/// expects of the writing session; readers go on.
struct PostgresDriver: SQLDriver {
  let pool: PostgresPool
  let mapping: SchemaMapping

  var capabilities: SQLCapabilities { .postgreSQL }

  /// All values are stored in rows.
  var externalValues: (any ExternalValueStore)? { nil }

  /// Held until the end of the transaction; other transactions can read the table.
  static let writeLock = "LOCK TABLE \"Z_PRIMARYKEY\" IN SHARE ROW EXCLUSIVE MODE"

  func read<R>(_ body: (any SQLSession) throws -> R) throws -> R {
    do {
      return try pool.read("a fetch") { try body($0) }
    } catch let error as PostgresError {
      throw SwiftDataError.storeReadFailure.with(
        "The store can't be read. The context is unchanged.", entity: entity(of: error)?.name,
        underlying: error)
    }
  }

  func write<R>(else consequence: String, _ body: (any SQLSession) throws -> R) throws -> R {
    try translating(else: consequence) {
      try pool.write("a change") { connection in
        connection.writeLock = PostgresDriver.writeLock
        connection.defersStatements = true
        return try body(connection)
      }
    }
  }

  func leaseWriter(within limit: Duration?) throws -> any SQLWriterLease {
    try translating(else: PostgresWriterLease.consequence) {
      let lease = try pool.lease(within: limit)
      lease.connection.writeLock = PostgresDriver.writeLock
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
      guard !error.isUniquenessViolation else {
        throw SwiftDataError.modelValidationFailure.with(
          "Another model has the same value, but the property is unique; \(consequence). Give one of "
            + "them another value.", entity: entity?.name,
          property: properties(of: error, entity), underlying: error)
      }
      let outcome =
        error.isOutcomeUnknown ? "It is not known whether the changes were stored" : consequence
      throw SwiftDataError.storeWriteFailure.with(
        "The store can't be written; \(outcome).", entity: entity?.name,
        property: properties(of: error, entity), underlying: error)
    }
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
