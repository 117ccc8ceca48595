public import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat
import SwiftData

/// The content of a store file: its model, rows and sizes by entity and index, and its history.
///
/// Supports any store file, including those of Apple's SwiftData and Core Data. Changes nothing,
/// and creates no file beside the store.
///
/// ```swift
/// let inspection = try StoreInspection(of: URL(filePath: "/data/trips.store"))
/// for entity in inspection.entities { print(entity.name, entity.rows) }
/// ```
public struct StoreInspection: Codable, Hashable, Sendable {
  /// An entity of the model.
  public struct Entity: Codable, Hashable, Sendable {
    /// The name of the entity.
    public let name: String
    /// The entity number, in `Z_ENT` of its rows.
    public let number: Int
    /// The name of the superentity; nil for a root.
    public let superentity: String?
    /// The table that contains its rows.
    public let table: String
    /// The number of rows of this entity, without its subentities.
    public let rows: Int
    /// The properties that the entity itself declares, in the order of their names.
    public let properties: [Property]
    /// Groups of properties whose combined values are unique.
    public let uniqueConstraints: [[String]]
    /// The version hash as hexadecimal digits; nil if the file has none. The frameworks compare it
    /// to recognise a version of the entity.
    public let versionHash: String?
  }

  /// A property of an entity.
  public struct Property: Codable, Hashable, Sendable {
    /// The name of the property.
    public let name: String
    /// The type in Swift syntax: `String?`, `[Stop], inverse trip`.
    public let type: String
    /// The columns that store the property.
    public let columns: [String]
  }

  /// A table or an index of the file.
  public struct Object: Codable, Hashable, Sendable {
    /// The name of the table or index.
    public let name: String
    /// The table of an index; nil for a table.
    public let table: String?
    /// The total size of its pages in bytes; nil if SQLite does not provide it.
    public let bytes: Int?
    /// The number of rows of a table; nil for an index.
    public let rows: Int?
  }

  /// The persistent history of the file.
  public struct History: Codable, Hashable, Sendable {
    /// The number of transactions in the history.
    public let transactions: Int
    /// The number of changes in all transactions.
    public let changes: Int
    /// The time of the first transaction; nil without transactions.
    public let first: Date?
    /// The time of the last transaction; nil without transactions.
    public let last: Date?
  }

  /// The location of the file.
  public let path: String
  /// The size of the file in bytes.
  public let bytes: Int
  /// The size of its write-ahead log in bytes; nil if there is none.
  public let logBytes: Int?
  /// The store's UUID.
  public let identifier: String
  /// The version identifiers of the model that the file was last written with.
  public let modelVersions: [String]
  /// The version of the framework that wrote the file; nil if the file does not record it.
  public let frameworkVersion: Int?
  /// Whether the file contains its model; without it, `properties` is empty for each entity.
  public let hasModel: Bool
  /// The entities, in the order of their numbers.
  public let entities: [Entity]
  /// All tables, in the order of their names.
  public let tables: [Object]
  /// All indexes, in the order of their names.
  public let indexes: [Object]
  /// The history; nil if the file has no history tables.
  public let history: History?

  /// Reads a store file. Reads the entity number of every row, and no other values.
  /// - Parameter url: The store file.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` with the reason if the file is not a store
  ///   or can't be read.
  public init(of url: URL) throws {
    self = try OpenedStore.look(at: url, StoreInspection.init)
  }

  private init(_ store: OpenedStore) throws {
    let url = store.url
    path = url.path
    // A symbolic link has a size of its own, and the log is beside the file that it leads to.
    let file = DatabaseFile.resolvedPath(url.path)
    bytes = try StoreInspection.size(file) ?? 0
    logBytes = try StoreInspection.size(file + "-wal")
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

  /// The sizes of tables and indexes; empty if SQLite was built without `dbstat`.
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
