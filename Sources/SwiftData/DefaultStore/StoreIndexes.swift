import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine

/// The indexes of a store that need no change of its tables: those of `#Index` and of keys. A file
/// that was made before an index was declared gets it when it is opened.
struct StoreIndexes {
  let mapping: SchemaMapping

  /// - Returns: The names of the trees that may be searched.
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
    let names = try storedNames(connection)
    if ordinaryIndexes.contains(where: { !names.contains($0.name) }) { return true }
    if spatialIndexes.isEmpty { return false }
    let hasTrees = try hasTreeModule(connection)
    return spatialIndexes.contains {
      !names.contains(hasTrees ? $0.name : $0.ordinaryIndex.name)
    }
  }

  /// Unique indexes may fail on the rows of an old file, so they are not added.
  private var ordinaryIndexes: [CreateIndex] {
    mapping.tables.flatMap(\.indexes).filter { !$0.isUnique }
  }

  private func complete(_ connection: Connection) throws -> Set<String> {
    let names = try storedNames(connection)
    for index in ordinaryIndexes where !names.contains(index.name) {
      try connection.execute(index.rendered(in: .sqlite).sql)
    }
    if spatialIndexes.isEmpty { return [] }
    let hasTrees = try hasTreeModule(connection)
    for index in spatialIndexes {
      if hasTrees {
        if names.contains(index.name) { continue }
        for statement in index.tree.statements { try connection.execute(statement) }
      } else if !names.contains(index.ordinaryIndex.name) {
        report(index)
        try connection.execute(index.ordinaryIndex.rendered(in: .sqlite).sql)
      }
    }
    return try trees(connection)
  }

  private func hasTreeModule(_ connection: Connection) throws -> Bool {
    try connection.integer("SELECT 1 FROM pragma_module_list WHERE name = 'rtree'") != nil
  }

  private func trees(_ connection: Connection) throws -> Set<String> {
    if try spatialIndexes.isEmpty || !hasTreeModule(connection) { return [] }
    return try storedNames(connection).intersection(spatialIndexes.map(\.name))
  }

  private func storedNames(_ connection: Connection) throws -> Set<String> {
    var names: Set<String> = []
    let statement = try connection.prepare(
      "SELECT name FROM sqlite_schema WHERE type IN ('table', 'index')")
    while try statement.step() { names.insert(statement.string(0)) }
    return names
  }

  private func report(_ index: SpatialIndex) {
    let line = """
      SwiftData: this SQLite has no R-trees, so the index of \(index.entity) on \
      \(index.properties.joined(separator: ", ")) is an ordinary one.

      """
    FileHandle.standardError.write(Data(line.utf8))
  }
}
