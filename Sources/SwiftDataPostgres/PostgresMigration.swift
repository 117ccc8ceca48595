import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLSyntax
import SwiftData

/// A store during its migration: all work is on one connection, in one transaction.
///
/// Used by the thread that opens the store.
struct PostgresMigration: MigratedDatabase {
  let configuration: PostgresConfiguration
  let pool: PostgresPool
  let connection: PostgresConnection

  func description() throws -> StoredSchema? { try PostgresCatalog.read(connection) }

  func write<R>(_ body: (any SQLSession) throws -> R) throws -> R { try body(connection) }

  /// Statements that are prepared again learn the new types of columns.
  func willChange(_ session: any SQLSession) throws { connection.forgetStatements() }

  func run(
    _ change: SchemaChange, _ session: any SQLSession, progress: (SchemaChangeProgress) -> Void
  ) throws {
    defer { connection.forgetStatements() }
    do {
      try change.run(session, progress: progress)
    } catch let error as PostgresError where error.state == .lockNotAvailable {
      throw PostgresStoreLock(connection: connection, pool: pool, configuration: configuration)
        .busy(error)
    }
  }

  func complete(_ models: DescribedSchema, version: String) throws {
    guard let stored = try description() else { return }
    guard case .open(let mapping, _) = StoreDecision(stored: stored, models: models) else { return }
    try StoreCreation(mapping, version: version)
      .describe(connection, .postgreSQL, replacing: stored.metadata)
  }

  func stageStore(_ models: DescribedSchema, _ seal: StoreInvalidation) throws -> any DataStore {
    guard let stored = try description(),
      case .open(let mapping, _) = StoreDecision(stored: stored, models: models)
    else {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The tables do not have the models of a stage of the migration.", doing: "migrating a store"
      )
    }
    return store(models.schema, mapping, identifier: stored.identifier, seal, stored)
  }

  func earlierStore(
    _ schema: Schema, _ mapping: SchemaMapping, identifier: String, _ seal: StoreInvalidation
  ) throws -> any DataStore {
    store(schema, mapping, identifier: identifier, seal, nil)
  }

  /// - Parameter stored: The description of a store that may be written.
  private func store(
    _ schema: Schema, _ mapping: SchemaMapping, identifier: String, _ seal: StoreInvalidation,
    _ stored: StoredSchema?
  ) -> PostgresStore {
    var configuration = configuration
    configuration.schema = schema
    return PostgresStore(
      configuration, schema, pool: pool,
      RelationalStore(
        name: configuration.name, identifier: identifier, schema: schema, mapping: mapping,
        driver: PostgresStageDriver(connection: connection, seal: seal),
        isWritable: stored != nil, history: stored.flatMap { HistoryTables(in: $0.columns) },
        removedEntities: stored?.removedEntities ?? [:]))
  }
}

/// The driver for code of a migration stage: the connection of the migration for all reads and writes.
final class PostgresStageDriver: SQLDriver, @unchecked Sendable {
  // Safe: the code of a stage runs on the thread that opens the store, and the store ends with it.
  private let connection: PostgresConnection
  private let seal: StoreInvalidation

  init(connection: PostgresConnection, seal: StoreInvalidation) {
    self.connection = connection
    self.seal = seal
  }

  var capabilities: SQLCapabilities { .postgreSQL }

  var externalValues: (any ExternalValueStore)? { nil }

  private func use<R>(
    _ failure: SwiftDataError, _ message: String, _ body: (any SQLSession) throws -> R
  ) throws -> R {
    guard !seal.hasEnded else {
      throw failure.with(
        "The migration stage has ended. Its contexts and models can't be used after it.")
    }
    do {
      return try body(connection)
    } catch let error as PostgresError {
      if failure == .storeReadFailure { seal.note(error) }
      guard !error.isUniquenessViolation else {
        throw SwiftDataError.modelValidationFailure.with(
          "Another model has the same value, but the property is unique; \(message).",
          underlying: error)
      }
      throw failure.with("The store can't be used; \(message).", underlying: error)
    }
  }

  func read<R>(for reader: EditingState.ID?, _ body: (any SQLSession) throws -> R) throws -> R {
    try use(.storeReadFailure, "the context is unchanged", body)
  }

  func write<R>(
    for writer: EditingState.ID?, else consequence: String,
    _ body: (any SQLSession) throws -> R
  ) throws -> R {
    try use(.storeWriteFailure, consequence, body)
  }

  func leaseWriter(
    for writer: EditingState.ID?, within limit: Duration?
  ) throws -> any SQLWriterLease { Lease(driver: self) }

  private final class Lease: SQLWriterLease {
    private let driver: PostgresStageDriver

    init(driver: PostgresStageDriver) { self.driver = driver }

    func use<R>(_ body: (any SQLSession) throws -> R) throws -> R {
      try driver.write(for: nil, else: "nothing was saved", body)
    }

    func end() {}
  }
}
