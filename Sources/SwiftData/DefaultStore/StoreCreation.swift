import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat

/// Writes what a file says about itself. Called by `StoreFile.open`, inside a transaction.
struct StoreCreation {
  let mapping: SchemaMapping
  let schema: Schema

  /// Makes all tables of an empty file, in the order in which Apple's framework makes them.
  func create(_ connection: Connection) throws {
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
    try createHistory(connection)
    let insert = try connection.prepare("INSERT INTO Z_PRIMARYKEY VALUES (?1, ?2, ?3, 0)")
    for entity in mapping.entities {
      try insert.bind(Int64(entity.number), at: 1)
      try insert.bind(entity.name, at: 2)
      let parent = entity.superName.flatMap { mapping.entity(named: $0)?.number } ?? 0
      try insert.bind(Int64(parent), at: 3)
      try insert.run()
    }
    let metadata = try connection.prepare("INSERT INTO Z_METADATA VALUES (1, ?1, ?2)")
    try metadata.bind(UUID().uuidString, at: 1)
    try metadata.bind(try StoreMetadata.data(model), at: 2)
    try metadata.run()
    try writeModelCache(connection)
  }

  /// Adds what a file lacks that was recognised by its columns: version hashes, the model and
  /// the tables of the history.
  func complete(_ stored: StoredSchema, _ connection: Connection) throws {
    try refuseEmptyValues(connection)
    // The model of entities that no model here names is not known.
    let names = Set(model.entities.map(\.name))
    guard
      stored.entities.allSatisfy({ !EntityNumbering.isValid($0.number) || names.contains($0.name) })
    else { return }
    let update = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?1")
    try update.bind(try StoreMetadata.data(model, replacing: stored.metadata), at: 1)
    try update.run()
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS Z_MODELCACHE (Z_CONTENT BLOB); DELETE FROM Z_MODELCACHE")
    try writeModelCache(connection)
    if HistoryTables.areMissing(in: stored.columns) { try createHistory(connection) }
  }

  private func createHistory(_ connection: Connection) throws {
    for statement in HistoryTables(for: mapping).creationStatements {
      try connection.execute(statement.rendered(in: .sqlite).sql)
    }
  }

  private var model: ModelDescription {
    ModelDescription(schema, descriptors: schema.descriptors)
  }

  private func writeModelCache(_ connection: Connection) throws {
    let insert = try connection.prepare("INSERT INTO Z_MODELCACHE VALUES (?1)")
    try insert.bind(try ModelCache.encode(model), at: 1)
    try insert.run()
  }

  /// Columns do not tell whether a property was optional, but rows may.
  private func refuseEmptyValues(_ connection: Connection) throws {
    for entity in mapping.entities {
      for property in entity.properties where entity.ownSlots.contains(property.slot) {
        guard case .attribute(let column) = property.kind, !column.isOptional,
          column.sqlType != .real
        else { continue }
        let numbers = entity.subtreeNumbers.map(String.init).joined(separator: ", ")
        // NaN is stored as null, so columns of floating-point numbers tell nothing.
        let sql = """
          SELECT Z_PK FROM \"\(entity.table)\" WHERE \"\(column.name)\" IS NULL \
          AND Z_ENT IN (\(numbers)) LIMIT 1
          """
        if let key = try connection.integer(sql) {
          throw SwiftDataError.loadIssueModelContainer.with(
            "The property is required, and rows of the file have no value (the first one is p\(key)). "
              + "Make it optional. The file was left as it is.",
            entity: entity.name, property: property.name)
        }
      }
    }
  }
}
