import Foundation
package import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLSyntax
public import SwiftData

/// A store in a PostgreSQL database, with the tables of the default store.
///
/// Thread-safe: contexts on any thread share one store. A pool lends connections, everything else is
/// immutable.
public final class PostgresStore: DataStore, DataStoreBatching, @unchecked Sendable {
  /// The type of the store's configuration.
  public typealias Configuration = PostgresConfiguration

  /// The type of the snapshots that the store reads and writes.
  public typealias Snapshot = DefaultSnapshot

  /// The store's UUID, which is part of every identifier of its models.
  public let identifier: String

  /// The entities in the store.
  public let schema: Schema

  /// The configuration that the store was opened with.
  public let configuration: PostgresConfiguration

  package let pool: PostgresPool
  /// Lends connections to standbys; `nil` without any.
  private let router: ReplicaRouter?
  /// Reads and writes the rows.
  package let engine: RelationalStore

  /// Connects to the database, creates the tables if there are none, and migrates those of an older
  /// version.
  ///
  /// A migration is one transaction. Programs that start at the same time wait until it has ended.
  /// - Parameters:
  ///   - configuration: The address, and the schema.
  ///   - migrationPlan: How stores of older versions are migrated; without a plan only changes that
  ///     need no code are made.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the database can't be used with the models
  ///   or migrated, `.backwardMigration` for a newer store, or `.unknownDataStoreSchema`.
  public init(
    _ configuration: PostgresConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    guard let schema = configuration.schema else {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The configuration \(configuration.name) has no schema. Add a schema, or open the store with "
          + "a ModelContainer.")
    }
    self.configuration = configuration
    self.schema = schema
    do {
      var limits = PostgresPool.Limits()
      limits.connections = configuration.connections
      pool = try PostgresPool(
        configuration.parameters, options: configuration.options, limits: limits)
      let start = ContinuousClock.now
      let (stored, mapping) = try PostgresOpening(
        configuration: configuration,
        migration: configuration.migration(to: schema, migrationPlan), pool: pool
      ).run()
      identifier = stored.identifier
      try configuration.requireListening()
      let lock = StoreLock(configuration.profile)
      var driver = PostgresDriver(
        pool: pool, mapping: mapping, lock: lock,
        monitor: try pool.read("a check") {
          try PostgresSchemaMonitor(stored, mapping, lock, since: start, $0)
        })
      if configuration.notifiesCommits {
        driver.notifier = CommitNotifier(pool, CommitChannel(storeIdentifier: identifier))
      }
      if !configuration.standbys.isEmpty {
        driver.router = ReplicaRouter(
          configuration, storeIdentifier: identifier, primary: pool,
          lastNumber: HistoryTables.lastTransactionStatement(in: .postgreSQL))
      }
      engine = RelationalStore(
        name: configuration.name, identifier: identifier, schema: schema, mapping: mapping,
        driver: driver, isWritable: configuration.allowsSave,
        trees: PostgresIndexes(mapping, configuration.profile).searchedTrees,
        history: HistoryTables(in: stored.columns), removedEntities: stored.removedEntities,
        retention: configuration.historyRetention, log: StatementLog.wanted(by: configuration))
      router = driver.router
      router?.open()
    } catch let error as PostgresError {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The store in \(configuration.parameters) can't be opened.", doing: "opening a store",
        underlying: error)
    }
  }

  /// Opens a store on the connection of a migration.
  init(
    _ configuration: PostgresConfiguration, _ schema: Schema, pool: PostgresPool,
    _ engine: RelationalStore
  ) {
    self.configuration = configuration
    self.schema = schema
    self.pool = pool
    self.engine = engine
    router = nil
    identifier = engine.identifier
  }

  /// How many reads standbys have answered, for tests and measurements.
  package var standbyReadCount: Int { router?.readCount ?? 0 }

  /// Deletes all models of the store.
  /// - Throws: `SwiftDataError.storeWriteFailure`, or `.modelValidationFailure` if the store was opened with
  ///   `allowsSave: false`; nothing is deleted then.
  public func erase() throws { try engine.erase() }

  /// Does nothing: the store has no state for contexts.
  public func initializeState(for editingState: EditingState) {}

  /// Does nothing: the store has no state for contexts.
  public func invalidateState(for editingState: EditingState) {}

  /// Reads the stored rows of models, with one look-up per model.
  /// - Parameters:
  ///   - persistentIdentifiers: The identifiers of the models.
  ///   - editingState: The context that makes the request.
  /// - Throws: `SwiftDataError.storeReadFailure`.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    for identifier in persistentIdentifiers {
      found[identifier] = try engine.snapshot(for: identifier, editingState)
    }
    return found
  }
}

extension PostgresStore: PortProviding {
  package var port: any StorePort { engine }
}

extension PostgresStore: ClosableStore {
  package var isUsedByThread: Bool { pool.isHeldByThread || router?.held() != nil }

  /// Waits until all reads and writes have ended, and closes the connections.
  /// - Throws: `SwiftDataError.storeWriteFailure` if this thread reads or writes the store.
  package func close() throws {
    do {
      try router?.close()
      try pool.close()
    } catch {
      throw SwiftDataError.storeWriteFailure.with(
        "The store can't be closed inside of a transaction or a snapshot of the same thread. Close it "
          + "afterwards.", doing: "closing a store", because: .invalidRequest)
    }
  }
}

extension PostgresStore: BackupProviding {
  /// - Throws: `SwiftDataError.storeReadFailure` always: the server has tools of its own for this.
  package func backup(
    to url: URL, progress: @escaping (BackupProgress) -> Void,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws -> BackupSummary {
    throw SwiftDataError.storeReadFailure.with(
      "A store in PostgreSQL is not backed up to a file by the app. Use pg_dump for one database, or "
        + "pg_basebackup with archived logs for the whole server.", doing: "backing up a store",
      because: .invalidRequest)
  }
}
