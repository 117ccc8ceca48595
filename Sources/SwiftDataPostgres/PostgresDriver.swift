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
  /// Detects migrations by others.
  let monitor: PostgresSchemaMonitor

  var capabilities: SQLCapabilities { .postgreSQL }

  /// All values are stored in rows.
  var externalValues: (any ExternalValueStore)? { nil }

  /// Held until the end of the transaction; other transactions can read the table.
  static let writeLock = "LOCK TABLE \"Z_PRIMARYKEY\" IN SHARE ROW EXCLUSIVE MODE"

  func read<R>(_ body: (any SQLSession) throws -> R) throws -> R {
    do {
      return try pool.read("a fetch") { connection in
        let result = try body(connection)
        try monitor.didRead(connection)
        return result
      }
    } catch is PostgresSchemaMonitor.Migrated {
      throw PostgresSchemaMonitor.whileReading
    } catch let error as PostgresError {
      if PostgresSchemaMonitor.mayBeCause(of: error), isMigrated {
        throw PostgresSchemaMonitor.whileReading
      }
      throw SwiftDataError.storeReadFailure.with(
        "The store can't be read. The context is unchanged.", entity: entity(of: error)?.name,
        underlying: error)
    }
  }

  func write<R>(else consequence: String, _ body: (any SQLSession) throws -> R) throws -> R {
    func write() throws -> R {
      try pool.write("a change") { connection in
        connection.writeLock = beginning
        return try body(connection)
      }
    }
    return try translating(else: consequence) {
      do {
        return try write()
      } catch let error as PostgresError where PostgresSchemaMonitor.isFailedCheck(error) {
        try pool.read("a check", monitor.verify)
        return try write()
      }
    }
  }

  /// What follows the begin of a writing transaction.
  fileprivate var beginning: String { "\(PostgresDriver.writeLock); \(monitor.check)" }

  private var isMigrated: Bool {
    do {
      try pool.read("a check", monitor.verify)
      return false
    } catch {
      return error is PostgresSchemaMonitor.Migrated
    }
  }

  func leaseWriter(within limit: Duration?) throws -> any SQLWriterLease {
    try translating(else: PostgresWriterLease.consequence) {
      let lease = try pool.lease(within: limit)
      lease.connection.writeLock = beginning
      return PostgresWriterLease(driver: self, lease: lease)
    }
  }

  fileprivate func translating<R>(else consequence: String, _ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch is PostgresSchemaMonitor.Migrated {
      throw PostgresSchemaMonitor.whileWriting(else: consequence)
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

  private func entity(of error: PostgresError) -> EntityMapping? {
    error.table.flatMap { table in mapping.entities.first { $0.table == table } }
  }

  private func properties(of error: PostgresError, _ entity: EntityMapping?) -> String? {
    let columns = error.column.map { [$0] } ?? error.constrainedColumns
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
    let connection = lease.connection
    return try driver.translating(else: PostgresWriterLease.consequence) {
      do {
        return try body(connection)
      } catch let error as PostgresError where PostgresSchemaMonitor.isFailedCheck(error) {
        connection.rollback()
        try driver.monitor.verify(connection)
        connection.writeLock = driver.beginning
        return try body(connection)
      }
    }
  }

  func end() { lease.end() }
}
