import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat

/// A copy of a file's tables without rows, on which changes can be tried.
struct TablesWithoutRows {
  private let connection: Connection
  private let stored: StoredSchema

  init(_ connection: Connection, _ stored: StoredSchema) {
    self.connection = connection
    self.stored = stored
  }

  /// Makes a database in memory with the tables, and with the file's metadata.
  func copy() throws -> Connection {
    let copy = try Connection(path: "", mode: .memory(name: nil))
    let virtual = try connection.texts(
      "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%'")
    // Virtual tables create the tables of their content; triggers come after the objects that they
    // name.
    let definitions = try connection.prepare(
      """
      SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' \
      ESCAPE '\\' ORDER BY type = 'trigger', type = 'index', rowid
      """)
    while try definitions.step() {
      let name = definitions.string(0)
      if virtual.contains(where: { name.hasPrefix($0 + "_") && isContent(name) }) { continue }
      try copy.execute(definitions.string(1))
    }
    for table in ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]
    where stored.objects.contains(table) {
      try copyRows(of: table, to: copy)
    }
    return copy
  }

  private func isContent(_ table: String) -> Bool {
    ["_node", "_parent", "_rowid"].contains { table.hasSuffix($0) }
  }

  private func copyRows(of table: String, to copy: Connection) throws {
    let rows = try connection.prepare("SELECT * FROM \(table.quotedName)")
    while try rows.step() {
      let count = rows.columnCount
      let indices = (1...count).map { "?\($0)" }.joined(separator: ", ")
      let insert = try copy.prepare("INSERT INTO \(table.quotedName) VALUES (\(indices))")
      for column in 0..<count {
        switch rows.storageClass(column) {
        case .null: break
        case .integer: try insert.bind(rows.int64(column), at: column + 1)
        case .real: try insert.bind(rows.double(column), at: column + 1)
        case .text: try insert.bind(rows.string(column), at: column + 1)
        case .blob: try insert.bind(rows.data(column), at: column + 1)
        }
      }
      try insert.run()
    }
  }

  /// The number of rows of each entity in the file.
  func rowCounts() throws -> [String: Int] {
    var counts: [String: Int] = [:]
    let numbers = stored.entitiesByNumber
    for entity in stored.entities
    where entity.superNumber == 0 && EntityNumbering.isValid(entity.number) {
      let table = StoreLayout.table(forRoot: entity.name)
      guard stored.columns[table] != nil else { continue }
      let rows = try connection.prepare(
        "SELECT \(RowColumns.entity), count(*) FROM \(table.quotedName) GROUP BY 1")
      while try rows.step() {
        guard let name = numbers[Int(rows.int64(0))]?.name else { continue }
        counts[name] = Int(rows.int64(1))
      }
    }
    return counts
  }
}
