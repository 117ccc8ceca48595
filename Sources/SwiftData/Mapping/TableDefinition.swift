package import OpenSwiftDataSQLSyntax

/// A table and its indexes, which a store creates.
package struct TableDefinition: Hashable, Sendable {
  package var table: CreateTable
  package var indexes: [CreateIndex]
  /// Created in a way that depends on the database.
  package var spatialIndexes: [SpatialIndex] = []

  /// The first columns of the indexes and of the primary key.
  var indexedColumns: Set<String> {
    var columns = Set(indexes.compactMap { $0.columns.first?.name })
    columns.formUnion(table.columns.filter(\.isPrimaryKey).map(\.name))
    if let first = table.primaryKey.first { columns.insert(first) }
    return columns
  }

  /// The columns in which no two rows have the same value, except null.
  var uniqueColumns: Set<String> {
    Set(indexes.compactMap { $0.isUnique && $0.columns.count == 1 ? $0.columns[0].name : nil })
  }
}
