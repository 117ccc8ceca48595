import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine

/// The file behind a store: made when it is missing, checked when it is there.
struct StoreFile: Sendable {
  let identifier: String
  /// The trees of spatial indexes that the file has.
  let trees: Set<String>
  private let externalFolder: URL?

  static func openPool(_ configuration: ModelConfiguration) throws -> ConnectionPool {
    let log = StatementLog.wanted(by: configuration)
    let configure: @Sendable (Connection) throws -> Void = { connection in
      for function in SQLFunction.all {
        try connection.register(
          function: function.name, argumentCount: function.argumentCount, deterministic: true
        ) { function.body($0.storedValues).functionResult }
      }
      for collation in SQLCollation.all {
        try connection.register(collation: collation.name, collation.compare)
      }
      log?.attach(to: connection)
    }
    if configuration.isStoredInMemoryOnly {
      return try ConnectionPool(path: "", mode: .memory(name: nil), configure: configure)
    }
    let url = configuration.url
    if configuration.allowsSave {
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    }
    return try ConnectionPool(
      path: url.path, mode: configuration.allowsSave ? .readWriteCreate : .readOnly,
      configure: configure)
  }

  init(
    pool: ConnectionPool, mapping: SchemaMapping, schema: Schema,
    configuration: ModelConfiguration
  ) throws {
    externalFolder =
      configuration.isStoredInMemoryOnly
      ? nil : StoreFile.externalFolder(of: configuration.url)
    let known = try pool.read { try StoreMetadata.identifier($0) }
    if let known {
      identifier = known
      try pool.read { connection in
        try StoreCheck(mapping: mapping, connection: connection, path: configuration.url.path)
          .run()
      }
      trees = try StoreIndexes.open(pool, mapping: mapping)
      return
    }
    guard configuration.allowsSave else {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The file at \(configuration.url.path) is no store, and allowsSave is false.")
    }
    (identifier, trees) = try pool.write { connection in
      try connection.transaction {
        let known = try StoreMetadata.identifier(connection)
        let identifier =
          try known ?? StoreFile.create(connection, mapping: mapping, schema: schema)
        return (identifier, try StoreIndexes.create(connection, mapping: mapping))
      }
    }
  }

  private static func create(
    _ connection: Connection, mapping: SchemaMapping, schema: Schema
  ) throws -> String {
    for statement in mapping.creationStatements {
      try connection.execute(statement.rendered(in: .sqlite).sql)
    }
    try connection.execute(
      """
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, \
      Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
      """)
    let insert = try connection.prepare("INSERT INTO Z_PRIMARYKEY VALUES (?1, ?2, ?3, 0)")
    for entity in mapping.entities {
      try insert.bind(Int64(entity.number), at: 1)
      try insert.bind(entity.name, at: 2)
      let parent = entity.superName.flatMap { mapping.entity(named: $0)?.number } ?? 0
      try insert.bind(Int64(parent), at: 3)
      try insert.run()
    }
    return try StoreMetadata.create(connection, schema: schema)
  }

  private static func externalFolder(of url: URL) -> URL {
    let base = url.deletingPathExtension().lastPathComponent
    return url.deletingLastPathComponent()
      .appendingPathComponent(".\(base)_SUPPORT/_EXTERNAL_DATA", isDirectory: true)
  }

  /// The bytes of a value that is kept in a file of its own.
  func externalData(named name: String) -> [UInt8]? {
    guard let folder = externalFolder, !name.contains("/"),
      let data = try? Data(contentsOf: folder.appendingPathComponent(name))
    else { return nil }
    return [UInt8](data)
  }
}

/// The row of `Z_METADATA`.
enum StoreMetadata {
  /// The store's UUID; `nil` for an empty file.
  static func identifier(_ connection: Connection) throws -> String? {
    let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
    if tables == 0 { return nil }
    let isStore = try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name IN ('Z_METADATA', 'Z_PRIMARYKEY')")
    guard isStore == 2, let uuid = try connection.text("SELECT Z_UUID FROM Z_METADATA") else {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The file at \(connection.path ?? "the given URL") is an SQLite database, but no store: it "
          + "has no Z_METADATA. Choose another URL; the file was left as it is.")
    }
    return uuid
  }

  static func create(_ connection: Connection, schema: Schema) throws -> String {
    let identifier = UUID().uuidString
    let plist: [String: Any] = [
      "NSStoreType": "SQLite",
      "NSStoreModelVersionIdentifiers": ["\(schema.version)"],
      "NSStoreModelVersionHashesVersion": 3,
      "_NSAutoVacuumLevel": "2",
    ]
    let data = try PropertyListSerialization.data(
      fromPropertyList: plist, format: .binary, options: 0)
    let insert = try connection.prepare("INSERT INTO Z_METADATA VALUES (1, ?1, ?2)")
    try insert.bind(identifier, at: 1)
    try insert.bind(data, at: 2)
    try insert.run()
    return identifier
  }
}

/// Compares the tables of a file with those that the schema needs.
struct StoreCheck {
  let mapping: SchemaMapping
  let connection: Connection
  let path: String

  /// - Throws: `SwiftDataError.loadIssueModelContainer`, naming what the file lacks.
  func run() throws {
    var differences: [String] = []
    let entities = try storedEntities()
    for entity in mapping.entities where entities[entity.name] != entity.number {
      differences.append(
        entities[entity.name] == nil
          ? "the model \(entity.name) is new" : "the model \(entity.name) has another number")
    }
    for entity in mapping.entities where entities[entity.name] != nil {
      let columns = try storedColumns(of: entity.table)
      for property in entity.properties {
        for column in entity.columns(of: property) where !columns.contains(column.name) {
          differences.append("\(entity.name).\(property.name) has no column \(column.name)")
        }
      }
    }
    for table in mapping.tables where try storedColumns(of: table.table.name).isEmpty {
      differences.append("there is no table \(table.table.name)")
    }
    guard !differences.isEmpty else { return }
    throw SwiftDataError.loadIssueModelContainer.with(
      "The store at \(path) was made with other models: "
        + differences.prefix(12).joined(separator: "; ")
        + ". Open it with the models it was made with; the file was left as it is.")
  }

  private func storedEntities() throws -> [String: Int] {
    var entities: [String: Int] = [:]
    let statement = try connection.prepare("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY")
    while try statement.step() { entities[statement.string(0)] = Int(statement.int64(1)) }
    return entities
  }

  private func storedColumns(of table: String) throws -> Set<String> {
    var columns: Set<String> = []
    let statement = try connection.prepare("SELECT name FROM pragma_table_info(?1)")
    try statement.bind(table, at: 1)
    while try statement.step() { columns.insert(statement.string(0)) }
    return columns
  }
}

extension FunctionArguments {
  fileprivate var storedValues: [_StoredValue] {
    (0..<count).map { index in
      switch storageClass(index) {
      case .null: .null
      case .integer: .integer(int64(index))
      case .real: .real(double(index))
      case .text: .text(string(index))
      case .blob: .blob(data(index))
      }
    }
  }
}

extension _StoredValue {
  fileprivate var functionResult: FunctionResult {
    switch self {
    case .null: .null
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .text(let value): .text(value)
    case .blob(let value): .blob(value)
    }
  }
}
