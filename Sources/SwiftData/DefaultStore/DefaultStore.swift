import Foundation
import OpenSwiftDataSQLSyntax
package import OpenSwiftDataSQLiteEngine
import Synchronization

/// A store in one SQLite file, with the table layout of Apple's SwiftData.
///
/// Thread-safe: contexts on any thread share one store. A pool lends connections, everything else
/// is immutable.
public final class DefaultStore: DataStore, DataStoreBatching, @unchecked Sendable {
  /// The type of the store's configuration.
  public typealias Configuration = ModelConfiguration
  /// The type of the snapshots that the store reads and writes.
  public typealias Snapshot = DefaultSnapshot

  /// The name of the store's configuration.
  public let name: String
  /// The entities in the store.
  public let schema: Schema
  /// The configuration that the store was opened with.
  public let configuration: ModelConfiguration
  /// The store's UUID, which is part of every identifier of its models.
  public var identifier: String { file.identifier }

  package let pool: ConnectionPool
  let file: StoreFile
  /// Reads and writes the rows.
  package let engine: RelationalStore

  /// Opens a store that has the current version of the models.
  /// - Parameters:
  ///   - models: The validated models of the store.
  ///   - finding: The result of the file check; `nil` if there is no file, or it is empty.
  ///   - version: The version identifier for a new file; `nil` uses that of the schema.
  convenience init(
    _ configuration: ModelConfiguration, models: DescribedSchema,
    finding: StoreFileCheck.Finding?, version: String? = nil
  ) throws {
    let isNew = finding == nil && !FileManager.default.fileExists(atPath: configuration.url.path)
    do {
      if let finding {
        try StoreFile.judge(finding, models: models, configuration: configuration)
      }
      try self.init(
        configuration, models: models, pool: StoreFile.openPool(configuration), version: version,
        reader: StoredSchemaReader(finding?.earlier))
    } catch {
      if isNew, let failure = error as? SQLiteError,
        failure.isOutOfSpace || failure.code == .inputOutput
      {
        // Programs look for the file to know whether there is a store.
        RawDatabaseFile.removeEmptyFile(at: configuration.url.path)
      }
      throw StoreFailure.opening(error, at: configuration.url)
    }
  }

  /// Opens a store on an existing pool.
  /// - Parameters:
  ///   - models: The validated models of the store.
  ///   - external: The files of large values, if they are open already.
  ///   - reader: Reads the description of the file.
  ///   - seal: Ends the use of the store while the pool stays open.
  ///   - refusal: Why the store, which is empty, gets no rows; `nil` for any other store.
  init(
    _ configuration: ModelConfiguration, models: DescribedSchema, pool: ConnectionPool,
    version: String? = nil, external: ExternalFiles? = nil, reader: StoredSchemaReader,
    seal: StoreInvalidation? = nil, refusal: SwiftDataError? = nil
  ) throws {
    self.configuration = configuration
    schema = models.schema
    self.pool = pool
    name = configuration.name
    let mapping: SchemaMapping
    (file, mapping) = try StoreFileOpening(
      pool: pool, models: models, configuration: configuration, version: version,
      external: external, reader: reader
    ).run()
    let sqlite = SQLiteDriver(
      pool: pool, file: file, mapping: mapping, url: configuration.url, seal: seal)
    engine = RelationalStore(
      name: name, identifier: file.identifier, schema: schema, mapping: mapping,
      driver: configuration.instruments?.driver(over: sqlite) ?? sqlite as any SQLDriver,
      isWritable: configuration.allowsSave && refusal == nil, refusal: refusal, trees: file.trees,
      history: file.history, removedEntities: file.removedEntities,
      keepsHistory: configuration.keepsHistory, retention: configuration.historyRetention,
      clock: configuration.instruments?.now,
      log: StatementLog.wanted(by: configuration))
  }

  /// Opens the state before a migration step that kept the old tables; read-only.
  /// - Parameters:
  ///   - file: The store file, without indexes and history.
  ///   - mapping: The mapping to the old tables.
  init(
    _ configuration: ModelConfiguration, schema: Schema, pool: ConnectionPool, file: StoreFile,
    mapping: SchemaMapping, seal: StoreInvalidation
  ) {
    self.configuration = configuration
    self.schema = schema
    self.pool = pool
    self.file = file
    name = configuration.name
    engine = RelationalStore(
      name: name, identifier: file.identifier, schema: schema, mapping: mapping,
      driver: SQLiteDriver(
        pool: pool, file: file, mapping: mapping, url: configuration.url, seal: seal),
      isWritable: false)
  }

  /// Deletes all models of the store.
  /// - Throws: `SwiftDataError.storeWriteFailure`, or `.modelValidationFailure` if the store was opened with
  ///   `allowsSave: false`; nothing is deleted then.
  public func erase() throws { try engine.erase() }

  /// Does nothing: a default store has no state for contexts.
  public func initializeState(for editingState: EditingState) {}

  /// Does nothing: a default store has no state for contexts.
  public func invalidateState(for editingState: EditingState) {}

  /// Reads the stored rows of models, with one look-up per model.
  /// - Parameters:
  ///   - persistentIdentifiers: The identifiers of the models.
  ///   - editingState: The context that makes the request.
  /// - Throws: `SwiftDataError.storeReadFailure`.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] {
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    for identifier in persistentIdentifiers {
      found[identifier] = try engine.snapshot(for: identifier, editingState)
    }
    return found
  }
}
