import OpenSwiftDataSQLSyntax

extension TableLayout {
  func definitions() -> [TableDefinition] {
    blueprint.entities.filter { $0.superName == nil }.map(definition)
      + joinTableOrder.map(definition)
  }

  private func definition(of root: SchemaBlueprint.Entity) -> TableDefinition {
    let table = ColumnNaming.table(forRoot: root.rootName)
    let columns = tableColumns[root.name] ?? []
    let create = CreateTable(
      table,
      columns: [
        ColumnDefinition(RowColumns.key, .integer, isPrimaryKey: true),
        ColumnDefinition(RowColumns.entity, .integer),
        ColumnDefinition(RowColumns.version, .integer),
      ] + columns.map { ColumnDefinition($0.name, $0.sqlType) })
    var indexes = columns.filter { $0.content == .key }.map {
      CreateIndex("\(table)_\($0.name)_INDEX", on: table, columns: [.init($0.name)])
    }
    if root.subtree.count > 1 {
      indexes.append(
        CreateIndex(
          "\(table)_\(RowColumns.entity)_INDEX", on: table, columns: [.init(RowColumns.entity)]))
    }
    let entities = root.subtree.compactMap { blueprint[$0] }
    for entity in entities { indexes += declaredIndexes(of: entity, on: table) }
    var seen: Set<String> = []
    return TableDefinition(
      table: create, indexes: indexes.filter { seen.insert($0.name).inserted },
      spatialIndexes: entities.flatMap(spatialIndexes))
  }

  private func definition(of joinTable: JoinTable) -> TableDefinition {
    let create = CreateTable(
      joinTable.name, columns: joinTable.columns.map { ColumnDefinition($0, .integer) },
      primaryKey: joinTable.columns)
    let index = CreateIndex(
      "\(joinTable.name)_\(joinTable.columns[1])_INDEX", on: joinTable.name,
      columns: joinTable.columns.reversed().map { .init($0) })
    return TableDefinition(table: create, indexes: [index])
  }

  /// The indexes of `#Index` and of unique attributes, those of the superentity left out.
  private func declaredIndexes(
    of entity: SchemaBlueprint.Entity, on table: String
  ) -> [CreateIndex] {
    let parent = entity.superName.flatMap { blueprint[$0] }
    let indices = entity.indices.filter { !(parent?.indices.contains($0) ?? false) }
    let constraints = entity.uniquenessConstraints.filter {
      !(parent?.uniquenessConstraints.contains($0) ?? false)
    }
    let binary = (indices + nonSpatialIndexes(of: entity)).compactMap { names in
      index(
        "Z_\(entity.name)_SwiftDataIndexOnBinary\(names.joined())", of: names, in: entity,
        on: table, isUnique: false)
    }
    let unique = constraints.compactMap { names in
      index(
        "Z_\(entity.name)_UNIQUE_\(names.joined(separator: "_"))", of: names, in: entity,
        on: table, isUnique: true)
    }
    return binary + unique
  }

  private func index(
    _ name: String, of names: [String], in entity: SchemaBlueprint.Entity, on table: String,
    isUnique: Bool
  ) -> CreateIndex? {
    let columns = names.flatMap { indexedColumns(of: $0, in: entity) }
    guard !columns.isEmpty else { return nil }
    return CreateIndex(
      name, on: table,
      columns: columns.map { .init($0.name, isBinary: true, direction: .ascending) },
      isUnique: isUnique)
  }

  /// The columns of a property, or of the leaf that a dotted name leads to.
  func indexedColumns(of name: String, in entity: SchemaBlueprint.Entity) -> [ColumnMapping] {
    let path = name.split(separator: ".").map(String.init)
    guard let first = path.first, let slot = entity.descriptor.slot(named: first) else { return [] }
    switch mapping(of: slot, in: entity).kind {
    case .attribute(let column): return [column]
    case .toOne(let toOne): return [toOne.key]
    case .composite(let leaves):
      return leaves.filter { $0.leaf.path.starts(with: path.dropFirst()) }.map(\.column)
    case .toMany, .ephemeral: return []
    }
  }
}
