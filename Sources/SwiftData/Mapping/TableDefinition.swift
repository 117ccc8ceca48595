package import OpenSwiftDataSQLSyntax

/// A table with its indexes, as a store creates them.
package struct TableDefinition: Hashable, Sendable {
  package var table: CreateTable
  package var indexes: [CreateIndex]
  /// How they are made is up to the database.
  package var spatialIndexes: [SpatialIndex] = []

  /// The columns that an index or the primary key begins with.
  var indexedColumns: Set<String> {
    var columns = Set(indexes.compactMap { $0.columns.first?.name })
    columns.formUnion(table.columns.filter(\.isPrimaryKey).map(\.name))
    if let first = table.primaryKey.first { columns.insert(first) }
    return columns
  }
}
