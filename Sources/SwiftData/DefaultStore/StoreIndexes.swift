import Foundation
package import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine

/// The indexes of a store that can be created without changing tables: those of `#Index`, `#Unique`
/// and of keys. A file without an index gets it when it is opened, and a unique one of the same name on
/// another table or other columns is replaced: it would allow duplicates, and refuse other values.
package struct StoreIndexes {
  let mapping: SchemaMapping

  package init(mapping: SchemaMapping) { self.mapping = mapping }

  /// - Returns: The names of the usable R-trees.
  static func open(_ pool: ConnectionPool, mapping: SchemaMapping) throws -> Set<String> {
    let indexes = StoreIndexes(mapping: mapping)
    if pool.mode.isWritable, try pool.read(indexes.isIncomplete) {
      return try pool.write { connection in
        try connection.transaction { try indexes.complete(connection) }
      }
    }
    return try pool.read(indexes.trees)
  }

  private var spatialIndexes: [SpatialIndex] { mapping.tables.flatMap(\.spatialIndexes) }

  private func isIncomplete(_ connection: Connection) throws -> Bool {
    let stored = try storedObjects(connection)
    if try ordinaryIndexes.contains(where: { try isMissing($0, stored, connection) }) {
      return true
    }
    if spatialIndexes.isEmpty { return false }
    let hasTrees = try hasTreeModule(connection)
    return spatialIndexes.contains {
      stored[hasTrees ? $0.name : $0.ordinaryIndex.name] == nil
    }
  }

  /// Whether there is no index of the name, or a unique one that is not that of the models.
  private func isMissing(
    _ index: CreateIndex, _ stored: [String: String], _ connection: Connection
  ) throws -> Bool {
    guard index.isUnique else { return stored[index.name] == nil }
    let columns = Set(index.columns.map(\.name))
    switch stored[index.name] {
    case nil: return try !connection.keepsUnique(columns, in: index.table)
    case index.rendered(in: .sqlite).sql: return false
    default:
      // SQLite writes statements anew when it renames a table or a column.
      return try connection.uniqueIndexes(of: index.table)[index.name] != columns
    }
  }

  private var ordinaryIndexes: [CreateIndex] { mapping.tables.flatMap(\.indexes) }

  /// Creates the missing indexes, in a transaction of the caller.
  func complete(_ connection: Connection) throws -> Set<String> {
    var stored = try storedObjects(connection)
    // A wrong index may be the only one that keeps other values unique.
    for index in ordinaryIndexes
    where try stored[index.name] != nil && isMissing(index, stored, connection) {
      try connection.execute("DROP INDEX \(index.name.quotedName)")
      stored[index.name] = nil
    }
    for index in ordinaryIndexes where try isMissing(index, stored, connection) {
      try create(index, connection, .sqlite)
    }
    if spatialIndexes.isEmpty { return [] }
    let hasTrees = try hasTreeModule(connection)
    for index in spatialIndexes {
      if hasTrees {
        if stored[index.name] != nil { continue }
        for statement in index.tree.statements { try connection.execute(statement) }
      } else if stored[index.ordinaryIndex.name] == nil {
        report(index)
        try connection.execute(index.ordinaryIndex.rendered(in: .sqlite).sql)
      }
    }
    return try trees(connection)
  }

  /// - Throws: `SwiftDataError.loadIssueModelContainer` if rows violate a new unique index, or have
  ///   values that are too long for an index.
  package func create(
    _ index: CreateIndex, _ session: any SQLSession, _ dialect: SQLDialect
  ) throws {
    do {
      try session.execute(index.rendered(in: dialect).sql)
    } catch let error as any DatabaseFailure {
      if error.isUniquenessViolation {
        throw refusal(
          of: index,
          "The models require unique values, but stored rows have equal values. Open the store without the "
            + "constraint, change the duplicate values, and try again. The store is unchanged.", nil
        )
      }
      guard let limit = error.exceededIndexLimit else { throw error }
      throw refusal(
        of: index,
        "A stored value is too long for an index of the models. \(limit) Open the store with models without "
          + "#Index or .unique for the property, or shorten the values. The store is unchanged.",
        error)
    }
  }

  /// The rows of an older store may not fit to a new index.
  private func refusal(
    of index: CreateIndex, _ explanation: String, _ cause: (any Error)?
  ) -> SwiftDataError {
    let columns = Set(index.columns.map(\.name))
    let entity = mapping.entities.first { $0.table == index.table }
    let names = entity?.properties.filter { property in
      entity?.columns(of: property).contains { columns.contains($0.name) } ?? false
    }.map(\.name)
    return .loadIssueModelContainer.with(
      explanation, entity: entity?.name, property: names?.joined(separator: ", "),
      underlying: cause)
  }

  private func hasTreeModule(_ connection: Connection) throws -> Bool {
    try connection.integer("SELECT 1 FROM pragma_module_list WHERE name = 'rtree'") != nil
  }

  private func trees(_ connection: Connection) throws -> Set<String> {
    if try spatialIndexes.isEmpty || !hasTreeModule(connection) { return [] }
    let stored = try storedObjects(connection)
    return Set(spatialIndexes.map(\.name).filter { stored[$0] != nil })
  }

  /// The statements of unique indexes, and empty texts for tables and other indexes, by name.
  private func storedObjects(_ connection: Connection) throws -> [String: String] {
    let statement = try connection.prepare(
      """
      SELECT name, CASE WHEN sql LIKE 'CREATE UNIQUE%' THEN sql ELSE '' END \
      FROM sqlite_schema WHERE type IN ('table', 'index')
      """)
    defer { statement.reset() }
    var found: [String: String] = [:]
    while try statement.step() { found[statement.string(0)] = statement.string(1) }
    return found
  }

  private func report(_ index: SpatialIndex) {
    WarningLog.write(
      "This version of SQLite has no R-trees, so the index of \(index.entity) on "
        + "\(index.properties.joined(separator: ", ")) is an ordinary index.")
  }
}

extension Connection {
  /// Whether a table keeps the values of columns unique, under any name: earlier frameworks used a
  /// constraint of the table.
  package func keepsUnique(_ columns: Set<String>, in table: String) throws -> Bool {
    try uniqueIndexes(of: table).values.contains(columns)
  }

  /// The columns of a table's unique indexes, by name.
  fileprivate func uniqueIndexes(of table: String) throws -> [String: Set<String>] {
    let statement = try prepare(
      """
      SELECT i.name, c.name FROM pragma_index_list(?1) AS i, pragma_index_info(i.name) AS c \
      WHERE i."unique" AND NOT i.partial
      """)
    defer { statement.reset() }
    try statement.bind(table, at: 1)
    var found: [String: Set<String>] = [:]
    while try statement.step() {
      found[statement.string(0), default: []].insert(statement.string(1))
    }
    return found
  }
}
