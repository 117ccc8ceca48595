package import OpenSwiftDataSQLSyntax

/// Where everything of a schema is stored. Built once per schema; immutable.
package final class SchemaMapping: Sendable {
  /// In the order of their numbers.
  package let entities: [EntityMapping]
  /// One definition per hierarchy, then one per join table.
  package let tables: [TableDefinition]
  private let byName: [String: EntityMapping]
  /// By table, the columns that an index of the table begins with.
  private let indexedColumns: [String: Set<String>]

  /// - Parameters:
  ///   - schema: The validated schema.
  ///   - descriptors: The descriptors of its classes by entity name.
  package init(schema: Schema, descriptors: [String: _ModelDescriptor]) {
    let blueprint = SchemaBlueprint(schema: schema, descriptors: descriptors)
    var layout = TableLayout(blueprint)
    for root in blueprint.entities where root.superName == nil { layout.place(root) }
    layout.placeJoinTables()
    entities = blueprint.entities.map { layout.mapping(of: $0) }
    byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    tables = layout.definitions()
    indexedColumns = Dictionary(
      tables.map { ($0.table.name, $0.indexedColumns) }, uniquingKeysWith: { $0.union($1) })
  }

  /// Whether an index of the table begins with the column, so that a comparison narrows the rows.
  package func isIndexed(_ column: String, of table: String) -> Bool {
    indexedColumns[table]?.contains(column) ?? false
  }

  package func entity(named name: String) -> EntityMapping? {
    byName[name]
  }

  /// The entity of a class, or of its nearest superclass that the schema has.
  package func entity(for type: any PersistentModel.Type) -> EntityMapping? {
    type._$descriptor.lineage.lazy.compactMap { byName[$0.entityName] }.first
  }

  package func entity(number: Int) -> EntityMapping? {
    entities.indices.contains(number - 1) ? entities[number - 1] : nil
  }

  /// The statements that make every table and index of the schema.
  package var creationStatements: [any SQLStatement] {
    tables.flatMap(\.statements)
  }
}
