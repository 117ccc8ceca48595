package import OpenSwiftDataSQLSyntax
package import OpenSwiftDataStoreFormat

/// Makes statements for the tables and indexes of the model classes, for any database.
extension SchemaBlueprint {
  /// One definition per hierarchy, then one per join table; tables that only the file has are left
  /// out.
  func definitions(_ mappings: [EntityMapping]) -> [TableDefinition] {
    let types = Dictionary(
      mappings.flatMap { entity in
        entity.properties.flatMap(entity.columns).map {
          (TableColumn(table: entity.table, column: $0.name), $0.sqlType)
        }
      }, uniquingKeysWith: { first, _ in first })
    // Only layouts of PostgreSQL limit names.
    let dialect: SQLDialect = layout.longestName == nil ? .sqlite : .postgreSQL
    let entitiesByTable = Dictionary(grouping: entities) { layout.table(of: $0.name) }
    let indexes = Dictionary(grouping: layout.indexes, by: \.table)
    let tables = layout.tables.compactMap { table -> TableDefinition? in
      guard let entities = entitiesByTable[table.name] else { return nil }
      return TableDefinition(
        table: table.definition { column in
          types[TableColumn(table: table.name, column: column.name)]
        },
        indexes: layout.statements(for: indexes[table.name] ?? [], in: dialect)
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
          table: table.definition, indexes: (indexes[table.name] ?? []).map(CreateIndex.init))
      }
  }

  private struct TableColumn: Hashable {
    let table: String
    let column: String
  }

  /// Ordinary indexes for properties that a spatial index cannot contain.
  private func nonSpatialIndexes(of entity: Entity, on table: String) -> [CreateIndex] {
    nonSpatialIndexes(of: entity).compactMap { names in
      let columns = names.flatMap { layout.columnNames(of: $0, in: entity.name) }
      guard !columns.isEmpty else { return nil }
      return CreateIndex(
        "Z_\(entity.name)_SwiftDataIndexOnBinary\(names.joined())"
          .shortened(to: layout.longestName), on: table,
        columns: columns.map { .init($0, isBinary: true, direction: .ascending) })
    }
  }
}

extension StoreLayout {
  /// The statements that create all tables and indexes except R-trees, all tables first.
  package var creationStatements: [any SQLStatement] {
    tables.map { $0.definition { _ in nil } } + joinTables.map(\.definition)
      + indexes.map(CreateIndex.init)
  }

  /// The same statements with the precise types of columns, for a database with truth values.
  package func creationStatements(for dialect: SQLDialect) -> [any SQLStatement] {
    if dialect == .sqlite { return creationStatements }
    return tables.map { $0.definition { column in sqlType(of: column) } }
      + joinTables.map(\.definition) + indexStatements(for: dialect)
  }

  /// The statements for the indexes.
  func indexStatements(for dialect: SQLDialect) -> [CreateIndex] {
    statements(for: indexes, in: dialect)
  }

  /// The statements for some of the indexes. A database that does not report changes of a file
  /// (`ComposedText`) gets a second index for text, in the form in which Swift orders it.
  fileprivate func statements(for indexes: [Index], in dialect: SQLDialect) -> [CreateIndex] {
    let created = indexes.map(CreateIndex.init)
    if dialect == .sqlite { return created }
    return created
      + created.compactMap { index in
        let texts = Set(
          tables.filter { $0.name == index.table }.flatMap(\.columns).filter { $0.type == .varchar }
            .map(\.name))
        guard index.columns.contains(where: { texts.contains($0.name) }) else { return nil }
        return CreateIndex(
          (index.name + "_NFC").shortened(to: 63), on: index.table,
          columns: index.columns.map {
            .init(
              $0.name, isBinary: $0.isBinary, direction: $0.direction,
              isComposed: texts.contains($0.name))
          })
      }
  }

  /// The type of the values in a column. The types of columns in files do not tell truth values from
  /// integers.
  package func sqlType(of column: Column) -> SQLType {
    let attribute = model[column.id.entity]?[column.id.property]?.attribute
    let leaf: AttributeType? =
      switch column.id.part {
      case .value: attribute?.type
      case .leaf(let path): attribute?.leaves.first { $0.path == path }?.attribute.type
      case .entityNumber, .owner: nil
      }
    return leaf == .boolean ? .boolean : column.type.sqlType
  }
}

extension StoreLayout.Table {
  /// - Parameter type: The type of a column, if the models give a more precise one than the file.
  fileprivate func definition(_ type: (StoreLayout.Column) -> SQLType?) -> CreateTable {
    definition(named: name, type)
  }

  /// The definition of the table under another name.
  package func definition(
    named name: String, _ type: (StoreLayout.Column) -> SQLType? = { _ in nil }
  ) -> CreateTable {
    CreateTable(
      name,
      columns: [
        ColumnDefinition(RowColumns.key, .integer, isPrimaryKey: true),
        ColumnDefinition(RowColumns.entity, .integer),
        ColumnDefinition(RowColumns.version, .integer),
      ] + columns.map { ColumnDefinition($0.name, type($0) ?? $0.type.sqlType) },
      isUpdated: true)
  }
}

extension StoreLayout.JoinTable {
  fileprivate var definition: CreateTable { definition(named: name) }

  /// The definition of the table under another name.
  package func definition(named name: String) -> CreateTable {
    CreateTable(
      name, columns: columns.map { ColumnDefinition($0, .integer) }, primaryKey: columns)
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
