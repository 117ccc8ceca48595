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

  /// Opens the store, and makes its file when there is none.
  /// - Parameters:
  ///   - configuration: Where the store is and which entities it keeps.
  ///   - migrationPlan: How to bring an older store up to date; not followed yet.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` with the reason when it can't be opened.
  public convenience init(
    _ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    guard let schema = configuration.schema else {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The configuration \(configuration.name) has no schema. Give it one, or open the store "
          + "through ModelContainer(for:).")
    }
    try self.init(configuration, schema: schema)
  }

  init(_ configuration: ModelConfiguration, schema: Schema) throws {
    try configuration.validate()
    self.configuration = configuration
    self.schema = schema
    name = configuration.name
    let mapping: SchemaMapping
    do {
      pool = try StoreFile.openPool(configuration, schema: schema)
      (file, mapping) = try StoreFile.open(pool, schema: schema, configuration: configuration)
    } catch {
      throw StoreFailure.opening(error, at: configuration.url)
    }
    engine = RelationalStore(
      name: name, identifier: file.identifier, schema: schema, mapping: mapping,
      driver: SQLiteDriver(
        pool: pool, file: file, mapping: mapping, url: configuration.url),
      isWritable: configuration.allowsSave, trees: file.trees,
      history: file.history,
      note: StatementLog.wanted(by: configuration)?.note)
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
