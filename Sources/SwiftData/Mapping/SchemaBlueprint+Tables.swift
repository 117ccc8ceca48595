import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// The tables and indexes of the model classes as statements for any database.
extension SchemaBlueprint {
  /// One definition per hierarchy, then one per join table; those of entities that only the file has
  /// are left out.
  func definitions(_ mappings: [EntityMapping]) -> [TableDefinition] {
    let types = Dictionary(
      mappings.flatMap { entity in
        entity.properties.flatMap(entity.columns).map {
          (TableColumn(table: entity.table, column: $0.name), $0.sqlType)
        }
      }, uniquingKeysWith: { first, _ in first })
    let entitiesByTable = Dictionary(grouping: entities) { layout.table(of: $0.name) }
    let indexes = Dictionary(grouping: layout.indexes, by: \.table)
    let tables = layout.tables.compactMap { table -> TableDefinition? in
      guard let entities = entitiesByTable[table.name] else { return nil }
      return TableDefinition(
        table: CreateTable(
          table.name,
          columns: [
            ColumnDefinition(RowColumns.key, .integer, isPrimaryKey: true),
            ColumnDefinition(RowColumns.entity, .integer),
            ColumnDefinition(RowColumns.version, .integer),
          ]
            + table.columns.map {
              let known = types[TableColumn(table: table.name, column: $0.name)]
              return ColumnDefinition($0.name, known ?? $0.type.sqlType)
            }),
        indexes: (indexes[table.name] ?? []).map(CreateIndex.init)
          + entities.flatMap { nonSpatialIndexes(of: $0, on: table.name) },
        spatialIndexes: entities.flatMap { spatialIndexes(of: $0) })
    }
    let joined = mappings.flatMap(\.properties).compactMap { property in
      if case .toMany(let toMany) = property.kind, case .joinTable(let name, _, _) = toMany.storage
      {
        name
      } else {
        nil
      }
    }
    let usedJoins = Set(joined)
    return tables
      + layout.joinTables.filter { usedJoins.contains($0.name) }.map { table in
        TableDefinition(
          table: CreateTable(
            table.name, columns: table.columns.map { ColumnDefinition($0, .integer) },
            primaryKey: table.columns),
          indexes: (indexes[table.name] ?? []).map(CreateIndex.init))
      }
  }

  private struct TableColumn: Hashable {
    let table: String
    let column: String
  }

  /// Ordinary indexes on properties that a declared spatial index cannot hold.
  private func nonSpatialIndexes(of entity: Entity, on table: String) -> [CreateIndex] {
    nonSpatialIndexes(of: entity).compactMap { names in
      let columns = names.flatMap { layout.columnNames(of: $0, in: entity.name) }
      guard !columns.isEmpty else { return nil }
      return CreateIndex(
        "Z_\(entity.name)_SwiftDataIndexOnBinary\(names.joined())", on: table,
        columns: columns.map { .init($0, isBinary: true, direction: .ascending) })
    }
  }
}

extension CreateIndex {
  init(_ index: StoreLayout.Index) {
    self.init(
      index.name, on: index.table,
      columns: index.columns.map { column in
        guard let isAscending = column.isAscending else { return .init(column.name) }
        return .init(
          column.name, isBinary: true, direction: isAscending ? .ascending : .descending)
      }, isUnique: index.isUnique)
  }
}

extension ColumnType {
  var sqlType: SQLType {
    switch self {
    case .integer: .integer
    case .float: .real
    case .timestamp: .timestamp
    case .decimal: .decimal
    case .varchar: .text
    case .blob: .blob
    }
  }
}
