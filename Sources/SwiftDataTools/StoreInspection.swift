public import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat
import SwiftData

/// What a store file holds: its model, rows and bytes by entity and index, its history.
///
/// Of any store file, those of Apple's SwiftData and Core Data included. Nothing is written, and no file is
/// made beside the store.
///
/// ```swift
/// let inspection = try StoreInspection(of: URL(filePath: "/data/trips.store"))
/// for entity in inspection.entities { print(entity.name, entity.rows) }
/// ```
public struct StoreInspection: Codable, Hashable, Sendable {
  /// An entity of the file.
  public struct Entity: Codable, Hashable, Sendable {
    /// The name of the entity.
    public let name: String
    /// `Z_ENT` of its rows.
    public let number: Int
    /// The entity that it inherits from.
    public let superentity: String?
    /// The table that has its rows.
    public let table: String
    /// How many rows are of this entity itself.
    public let rows: Int
    /// The properties that it declares itself, in the order of their names.
    public let properties: [Property]
    /// The groups of properties of which no two rows have the same values.
    public let uniqueConstraints: [[String]]
    /// The hash by which the frameworks tell versions of it, as hexadecimal digits; nil where the file has none.
    public let versionHash: String?
  }

  /// A property of an entity.
  public struct Property: Codable, Hashable, Sendable {
    /// The name of the property.
    public let name: String
    /// The type in Swift's words: `String?`, `[Stop], inverse trip`.
    public let type: String
    /// The columns that hold it.
    public let columns: [String]
  }

  /// A table or an index of the file.
  public struct Object: Codable, Hashable, Sendable {
    /// The name of the table or index.
    public let name: String
    /// The table of an index; nil for a table.
    public let table: String?
    /// The bytes of its pages; nil where the database can't tell.
    public let bytes: Int?
    /// How many rows a table has; nil for an index.
    public let rows: Int?
  }

  /// The persistent history of the file.
  public struct History: Codable, Hashable, Sendable {
    /// How many saves there are.
    public let transactions: Int
    /// How many rows they changed.
    public let changes: Int
    /// When the first of them was.
    public let first: Date?
    /// When the last of them was.
    public let last: Date?
  }

  /// The location of the file.
  public let path: String
  /// The bytes of the file.
  public let bytes: Int
  /// The bytes of the write-ahead log beside it; nil where there is none.
  public let logBytes: Int?
  /// The store's UUID.
  public let identifier: String
  /// The versions of the schema that the file was written with.
  public let modelVersions: [String]
  /// The version of the framework that wrote it.
  public let frameworkVersion: Int?
  /// Whether the file holds its whole model; without it there are no properties.
  public let hasModel: Bool
  /// In the order of their numbers.
  public let entities: [Entity]
  /// All tables, in the order of their names.
  public let tables: [Object]
  /// All indexes, in the order of their names.
  public let indexes: [Object]
  /// Nil where the file keeps none.
  public let history: History?

  /// Looks at a store file; reads every row's entity number, and no other value.
  /// - Parameter url: The file.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` with the reason for a file that is no store, or that
  ///   can't be read.
  public init(of url: URL) throws {
    self = try OpenedStore.look(at: url, StoreInspection.init)
  }

  private init(_ store: OpenedStore) throws {
    let url = store.url
    path = url.path
    bytes = try StoreInspection.size(url.path) ?? 0
    logBytes = try StoreInspection.size(url.path + "-wal")
    identifier = store.schema.identifier
    modelVersions = store.schema.modelMetadata?.versionIdentifiers ?? []
    frameworkVersion = store.schema.modelMetadata?.frameworkVersion
    hasModel = store.hasModel
    let sizes = try StoreInspection.sizes(store)
    entities = try StoreInspection.entities(store)
    tables = try StoreInspection.objects("table", sizes, store)
    indexes = try StoreInspection.objects("index", sizes, store)
    history = try StoreInspection.history(store)
  }

  private static func size(_ path: String) throws -> Int? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
  }

  private static func entities(_ store: OpenedStore) throws -> [Entity] {
    let hashes = store.schema.modelMetadata?.versionHashes ?? [:]
    var counts: [String: [Int: Int]] = [:]
    for table in store.layout.tables where store.schema.columns[table.name] != nil {
      let rows = try store.rows(
        "SELECT Z_ENT, count(*) FROM \(table.name.quotedName) GROUP BY Z_ENT"
      ) { (Int($0.int64(0)), Int($0.int64(1))) }
      counts[table.name] = Dictionary(rows, uniquingKeysWith: +)
    }
    return store.model.entities.map { entity in
      let number = store.layout.numbers[entity.name] ?? 0
      let table = store.layout.table(of: entity.name)
      return Entity(
        name: entity.name, number: number, superentity: entity.superName, table: table,
        rows: counts[table]?[number] ?? 0,
        properties: entity.properties.map { property in
          Property(
            name: property.name, type: property.typeText,
            columns: store.layout.columnNames(of: property.name, in: entity.name))
        },
        uniqueConstraints: entity.uniqueConstraints,
        versionHash: hashes[entity.name]?.map { byte in
          (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined())
    }.sorted { $0.number < $1.number }
  }

  /// The bytes of tables and indexes; empty where SQLite lacks the table that tells.
  private static func sizes(_ store: OpenedStore) throws -> [String: Int] {
    let hasSizes = try store.connection.integer(
      "SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'")
    if hasSizes == nil { return [:] }
    let rows = try store.rows("SELECT name, sum(pgsize) FROM dbstat GROUP BY name") {
      ($0.string(0), Int($0.int64(1)))
    }
    return Dictionary(rows, uniquingKeysWith: +)
  }

  private static func objects(
    _ type: String, _ sizes: [String: Int], _ store: OpenedStore
  ) throws -> [Object] {
    let names = try store.rows(
      """
      SELECT name, tbl_name FROM sqlite_schema WHERE type = '\(type)' \
      AND (sql IS NULL OR sql NOT LIKE 'CREATE VIRTUAL%') ORDER BY name
      """
    ) { ($0.string(0), $0.string(1)) }
    return try names.map { name, table in
      let rows =
        type == "table"
        ? try store.connection.integer("SELECT count(*) FROM \(name.quotedName)") : nil
      return Object(
        name: name, table: type == "table" ? nil : table, bytes: sizes[name],
        rows: rows.map { Int($0) })
    }
  }

  private static func history(_ store: OpenedStore) throws -> History? {
    guard store.schema.objects.isSuperset(of: ["ATRANSACTION", "ACHANGE"]) else { return nil }
    let changes = try store.connection.integer("SELECT count(*) FROM ACHANGE") ?? 0
    let rows = try store.rows(
      "SELECT count(*), min(ZTIMESTAMP), max(ZTIMESTAMP) FROM ATRANSACTION"
    ) { row in
      let times = [Int32(1), 2].map { column in
        row.isNull(column) ? nil : Date(timeIntervalSinceReferenceDate: row.double(column))
      }
      return History(
        transactions: Int(row.int64(0)), changes: Int(changes), first: times[0], last: times[1])
    }
    return rows.first
  }
}
