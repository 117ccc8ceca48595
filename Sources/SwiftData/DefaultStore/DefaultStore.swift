import Foundation
import OpenSwiftDataSQLSyntax
package import OpenSwiftDataSQLiteEngine
import Synchronization

/// A store in one SQLite file, in the layout that Apple's SwiftData writes.
///
/// Thread safe: contexts of any thread share it. The pool lends connections, everything else is
/// immutable.
public final class DefaultStore: DataStore, DataStoreBatching, @unchecked Sendable {
  /// The configuration the store was opened with.
  public typealias Configuration = ModelConfiguration
  /// The snapshots the store reads and writes.
  public typealias Snapshot = DefaultSnapshot

  /// The name of the configuration.
  public let name: String
  /// The entities that the store keeps.
  public let schema: Schema
  /// The configuration the store was opened with.
  public let configuration: ModelConfiguration
  /// The store's UUID, part of every identifier of its models.
  public var identifier: String { file.identifier }

  package let pool: ConnectionPool
  let file: StoreFile
  /// What reads and writes the rows.
  package let engine: RelationalStore

  /// Opens a store that has the version of the models.
  /// - Parameters:
  ///   - finding: What was found when the file was looked at; `nil` when it was changed since.
  ///   - version: What a new file names as its version; that of the schema when `nil`.
  convenience init(
    _ configuration: ModelConfiguration, schema: Schema, finding: StoreFileCheck.Finding?,
    version: String? = nil
  ) throws {
    do {
      if let finding {
        try StoreFile.judge(finding, schema: schema, configuration: configuration)
      }
      try self.init(
        configuration, schema: schema, pool: StoreFile.openPool(configuration), version: version)
    } catch {
      throw StoreFailure.opening(error, at: configuration.url)
    }
  }

  /// Opens a store on a pool.
  /// - Parameters:
  ///   - external: The files of large values, where they are open already.
  ///   - seal: Ends the use of the store while the pool stays open.
  init(
    _ configuration: ModelConfiguration, schema: Schema, pool: ConnectionPool,
    version: String? = nil, external: ExternalFiles? = nil, seal: StoreSeal? = nil
  ) throws {
    self.configuration = configuration
    self.schema = schema
    self.pool = pool
    name = configuration.name
    let mapping: SchemaMapping
    (file, mapping) = try StoreFile.open(
      pool, schema: schema, configuration: configuration, version: version, external: external)
    engine = RelationalStore(
      name: name, identifier: file.identifier, schema: schema, mapping: mapping,
      driver: SQLiteDriver(
        pool: pool, file: file, mapping: mapping, url: configuration.url, seal: seal),
      isWritable: configuration.allowsSave, trees: file.trees,
      history: file.history, removedEntities: file.removedEntities,
      keepsHistory: configuration.keepsHistory, retention: configuration.historyRetention,
      note: StatementLog.wanted(by: configuration)?.note)
  }

  /// The store as it was before a change that has kept its tables; only for reading.
  /// - Parameters:
  ///   - file: The file, without its indexes and its history.
  ///   - mapping: Where it keeps what.
  init(
    _ configuration: ModelConfiguration, schema: Schema, pool: ConnectionPool, file: StoreFile,
    mapping: SchemaMapping, seal: StoreSeal
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
  /// - Throws: `SwiftDataError.storeWriteFailure`; nothing is deleted then.
  public func erase() throws { try engine.erase() }

  /// A default store keeps no state for contexts.
  public func initializeState(for editingState: EditingState) {}

  /// A default store keeps no state for contexts.
  public func invalidateState(for editingState: EditingState) {}

  /// The stored rows of some models.
  /// - Parameters:
  ///   - persistentIdentifiers: Which models.
  ///   - editingState: The context that asks.
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
