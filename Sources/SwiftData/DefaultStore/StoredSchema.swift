import Foundation
package import OpenSwiftDataSQLSyntax
package import OpenSwiftDataSQLiteEngine
package import OpenSwiftDataStoreFormat

/// The structure of a store file, read from the file before anything is decided or mapped.
package struct StoredSchema: Hashable, Sendable {
  /// One row of `Z_PRIMARYKEY`.
  package struct Entity: Hashable, Sendable {
    package let name: String
    package let number: Int
    /// The number of the superentity; 0 for a root.
    package let superNumber: Int
    /// The last key that was assigned to a row; kept only for the root of a hierarchy.
    package let lastKey: Int64

    package init(name: String, number: Int, superNumber: Int, lastKey: Int64) {
      self.name = name
      self.number = number
      self.superNumber = superNumber
      self.lastKey = lastKey
    }
  }

  package let dialect: SQLDialect
  /// The state of the tables: SQLite increases this number with each change of them.
  let schemaVersion: Int64
  /// The store's UUID.
  package let identifier: String
  /// The dictionary of `Z_METADATA`, a binary property list.
  package let metadata: Data
  /// The model's entries in it; `nil` if it is no dictionary.
  package let modelMetadata: StoreMetadata?
  /// The entities, in the order of their numbers.
  package private(set) var entities: [Entity]
  /// The declared types of columns, by table and name; virtual tables are not included.
  package let columns: [String: [String: String]]
  /// The names of all tables, indexes and triggers.
  package let objects: Set<String>
  /// The content of `Z_MODELCACHE`, the complete model; `nil` if the file has none.
  package let modelCache: Data?

  /// - Parameters:
  ///   - dialect: The dialect of the database.
  ///   - schemaVersion: A number that increases with each change of the tables, if there is one.
  ///   - columns: The names of the columns' types, by table and name.
  package init(
    dialect: SQLDialect, schemaVersion: Int64 = 0, identifier: String, metadata: Data,
    entities: [Entity], columns: [String: [String: String]], objects: Set<String>,
    modelCache: Data?
  ) {
    self.dialect = dialect
    self.schemaVersion = schemaVersion
    self.identifier = identifier
    self.metadata = metadata
    modelMetadata = StoreMetadata(metadata)
    self.entities = entities
    self.columns = columns
    self.objects = objects
    self.modelCache = modelCache
  }

  /// Called with each complete read, by tests that count them.
  @TaskLocal package static var willReadAll: (@Sendable () -> Void)?

  /// Reads one state of the file, even while other processes write.
  /// - Parameter earlier: An earlier description of the file. If neither the tables nor the metadata
  ///   have changed since, only the entities with their last keys are read again.
  /// - Returns: `nil` for an empty file.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the database is not a store, or
  ///   `SQLiteError`.
  package static func read(
    _ connection: Connection, since earlier: StoredSchema? = nil
  ) throws -> StoredSchema? {
    try connection.snapshot {
      try earlier?.current(connection) ?? readAll(connection)
    }
  }

  /// The description with the current entities; `nil` if more than these may have changed.
  ///
  /// Tables, columns and indexes can't change without the schema version. The model cache is written
  /// together with the metadata, which contain the hashes of the model.
  private func current(_ connection: Connection) throws -> StoredSchema? {
    guard try connection.schemaVersion == schemaVersion,
      // A complete read reports the error.
      let (identifier, metadata) = try? StoredSchema.metadata(of: connection),
      identifier == self.identifier, metadata == self.metadata
    else { return nil }
    var current = self
    current.entities = try StoredSchema.entities(of: connection)
    return current
  }

  private static func readAll(_ connection: Connection) throws -> StoredSchema? {
    let objects = try objects(of: connection)
    if objects.isEmpty { return nil }
    willReadAll?()
    guard objects.isSuperset(of: ["Z_METADATA", "Z_PRIMARYKEY"]),
      let (identifier, metadata) = try metadata(of: connection)
    else {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The file at \(connection.path ?? "the given URL") is an SQLite database, but not a store: it "
          + "has no Z_METADATA. Choose another URL; the file is unchanged.", because: .storeDamaged)
    }
    return StoredSchema(
      dialect: .sqlite, schemaVersion: try connection.schemaVersion, identifier: identifier,
      metadata: metadata,
      entities: try entities(of: connection),
      columns: try columns(of: connection), objects: objects,
      modelCache: objects.contains("Z_MODELCACHE") ? try modelCache(of: connection) : nil)
  }

  /// The names of entities that occur only in the history, by number.
  package var removedEntities: [Int: String] { modelMetadata?.removedEntities ?? [:] }

  /// The SHA-256 hash of the metadata, in hexadecimal digits.
  package var metadataHash: String {
    SHA256.hash(of: metadata).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
      .joined()
  }

  /// The model in the cache; `nil` if there is none or it can't be read.
  package var model: ModelDescription? { modelCache.flatMap { try? ModelCache.decode($0) } }

  /// Whether the file has a place for its model, but none that can be read. Files of early frameworks have no
  /// place.
  package var lacksModel: Bool { columns["Z_MODELCACHE"] != nil && model == nil }

  /// Whether bytes that describe the models can't be read.
  var hasDamagedDescription: Bool {
    if modelMetadata == nil, !metadata.isEmpty || model != nil { return true }
    return modelCache != nil && model == nil
  }

  /// A copy with the cached model's names for the entity numbers: older frameworks left the old
  /// name of a renamed entity in `Z_PRIMARYKEY`.
  package func renamed(by model: ModelDescription) -> StoredSchema {
    let names = Dictionary(
      model.freshNumbers.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    let listed = Set(entities.map(\.name))
    var renamed = self
    renamed.entities = entities.map { entity in
      guard model[entity.name] == nil, let name = names[entity.number], !listed.contains(name)
      else { return entity }
      return Entity(
        name: name, number: entity.number, superNumber: entity.superNumber,
        lastKey: entity.lastKey)
    }
    return renamed
  }

  /// If a file contains a name twice, the first one is used.
  package var entitiesByName: [String: Entity] {
    Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  package var entitiesByNumber: [Int: Entity] {
    Dictionary(entities.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
  }

  // MARK: Statements

  private static func objects(of connection: Connection) throws -> Set<String> {
    Set(try connection.texts("SELECT name FROM sqlite_schema"))
  }

  private static func metadata(of connection: Connection) throws -> (String, Data)? {
    let statement = try connection.prepare("SELECT Z_UUID, Z_PLIST FROM Z_METADATA")
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return (statement.string(0), statement.data(1))
  }

  private static func modelCache(of connection: Connection) throws -> Data? {
    let statement = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE")
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return statement.data(0)
  }

  private static func entities(of connection: Connection) throws -> [Entity] {
    var entities: [Entity] = []
    let statement = try connection.prepare(
      "SELECT Z_NAME, Z_ENT, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT")
    while try statement.step() {
      entities.append(
        Entity(
          name: statement.string(0), number: Int(statement.int64(1)),
          superNumber: Int(statement.int64(2)), lastKey: statement.int64(3)))
    }
    return entities
  }

  /// Virtual tables are left out, because this SQLite may lack their module.
  private static func columns(of connection: Connection) throws -> [String: [String: String]] {
    var columns: [String: [String: String]] = [:]
    let statement = try connection.prepare(
      """
      SELECT t.name, c.name, c.type FROM sqlite_schema AS t, pragma_table_info(t.name) AS c \
      WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%'
      """)
    while try statement.step() {
      columns[statement.string(0), default: [:]][statement.string(1)] = statement.string(2)
    }
    return columns
  }
}

/// Reads the description of one file several times, for an opening or a migration.
///
/// A description must not be used after another process, or the own connection, may have changed
/// the file. Therefore each user reads it inside the transaction in which it is used. A read costs
/// little as long as the tables are the same (`StoredSchema.read`).
///
/// After a transaction with a read in it was rolled back, its reader must not be used: SQLite uses
/// the numbers of the rolled back changes again.
final class StoredSchemaReader {
  /// The description that was read last.
  private(set) var latest: StoredSchema?

  /// - Parameter earlier: An earlier description of the file, if there is one.
  init(_ earlier: StoredSchema? = nil) { latest = earlier }

  /// - Returns: `nil` for an empty file.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the database is not a store, or
  ///   `SQLiteError`.
  func read(_ connection: Connection) throws -> StoredSchema? {
    latest = try StoredSchema.read(connection, since: latest)
    return latest
  }
}
