package import SQLSyntax

/// Where everything of a schema is stored. Built once per schema; immutable.
package final class SchemaMapping: Sendable {
  /// In the order of their numbers.
  package let entities: [EntityMapping]
  /// One definition per hierarchy, then one per join table.
  package let tables: [TableDefinition]
  private let byName: [String: EntityMapping]

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
  }

  package func entity(named name: String) -> EntityMapping? {
    byName[name]
  }

  /// The entity of a class, or of its nearest superclass that the schema has.
  package func entity(for type: any PersistentModel.Type) -> EntityMapping? {
    let descriptor = type._$descriptor
    if let mapping = byName[descriptor.entityName] { return mapping }
    return descriptor.superclass.flatMap { entity(for: $0) }
  }

  package func entity(number: Int) -> EntityMapping? {
    entities.indices.contains(number - 1) ? entities[number - 1] : nil
  }

  /// The statements that make every table and index of the schema.
  package var creationStatements: [any SQLStatement] {
    tables.flatMap(\.statements)
  }
}
