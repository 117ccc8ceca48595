import Foundation
import OpenSwiftDataSQLiteEngine

/// What the file of a store says about itself: read first, before anything is decided or mapped.
struct StoredSchema: Hashable, Sendable {
  /// One row of `Z_PRIMARYKEY`.
  struct Entity: Hashable, Sendable {
    let name: String
    let number: Int
    /// The number of the superentity; 0 for a root.
    let superNumber: Int
    /// The last key that was given to a row; kept at the root of a hierarchy only.
    let lastKey: Int64
  }

  /// The store's UUID.
  let identifier: String
  /// The dictionary of `Z_METADATA`, a binary property list.
  let metadata: Data
  /// In the order of their numbers.
  let entities: [Entity]
  /// The declared types of columns by name, by table; virtual tables have none.
  let columns: [String: [String: String]]
  /// The names of all tables, indexes and triggers.
  let objects: Set<String>

  /// - Returns: `nil` for an empty file.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` for a database that is no store, or
  ///   `SQLiteError`.
  static func read(_ connection: Connection) throws -> StoredSchema? {
    let objects = try objects(of: connection)
    if objects.isEmpty { return nil }
    guard objects.isSuperset(of: ["Z_METADATA", "Z_PRIMARYKEY"]),
      let (identifier, metadata) = try metadata(of: connection)
    else {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The file at \(connection.path ?? "the given URL") is an SQLite database, but no store: it "
          + "has no Z_METADATA. Choose another URL; the file was left as it is.")
    }
    return StoredSchema(
      identifier: identifier, metadata: metadata, entities: try entities(of: connection),
      columns: try columns(of: connection), objects: objects)
  }

  /// The names of the versions of the models that wrote the file: `1.0.0`.
  var modelVersions: [String] {
    let list = try? PropertyListSerialization.propertyList(from: metadata, format: nil)
    return (list as? [String: Any])?["NSStoreModelVersionIdentifiers"] as? [String] ?? []
  }

  /// In a file that has a name twice the first one counts.
  var entitiesByName: [String: Entity] {
    Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  var entitiesByNumber: [Int: Entity] {
    Dictionary(entities.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
  }

  // MARK: Statements

  private static func objects(of connection: Connection) throws -> Set<String> {
    var names: Set<String> = []
    let statement = try connection.prepare("SELECT name FROM sqlite_schema")
    while try statement.step() { names.insert(statement.string(0)) }
    return names
  }

  private static func metadata(of connection: Connection) throws -> (String, Data)? {
    let statement = try connection.prepare("SELECT Z_UUID, Z_PLIST FROM Z_METADATA")
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return (statement.string(0), statement.data(1))
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

  /// Virtual tables are left out: this SQLite may lack their module.
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
