package import OpenSwiftDataSQLSyntax
package import OpenSwiftDataStoreFormat

/// The tables and columns of a whole schema. Built once per store, with the file's entity numbers;
/// immutable.
package final class SchemaMapping: Sendable {
  /// In the order of their numbers.
  package let entities: [EntityMapping]
  /// One definition per hierarchy, then one per join table.
  package let tables: [TableDefinition]
  /// The layout of the file, including entities that only the file has.
  package let layout: StoreLayout
  private let byName: [String: EntityMapping]
  /// The entity for each number; `nil` for unused numbers.
  private let byNumber: [EntityMapping?]
  /// By table: the first columns of its indexes.
  private let indexedColumns: [String: Set<String>]
  /// By table: the columns in which no two rows have the same value, except null.
  private let uniqueColumns: [String: Set<String>]

  /// - Parameters:
  ///   - schema: The validated schema.
  ///   - descriptors: The descriptors of its classes by entity name.
  ///   - file: The entities of the file.
  package convenience init(
    schema: Schema, descriptors: [String: _ModelDescriptor], file: FileEntities = .none
  ) {
    self.init(DescribedSchema(schema, descriptors: descriptors), file: file)
  }

  /// - Parameters:
  ///   - models: The validated schema.
  ///   - file: The entities of the file.
  package init(_ models: DescribedSchema, file: FileEntities = .none) {
    let blueprint = SchemaBlueprint(models, file: file)
    layout = blueprint.layout
    entities = blueprint.entities.map { blueprint.mapping(of: $0) }
    byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var byNumber: [EntityMapping?] = Array(
      repeating: nil, count: (entities.last?.number ?? 0) + 1)
    for entity in entities { byNumber[entity.number] = entity }
    self.byNumber = byNumber
    tables = blueprint.definitions(entities)
    indexedColumns = Dictionary(
      tables.map { ($0.table.name, $0.indexedColumns) }, uniquingKeysWith: { $0.union($1) })
    uniqueColumns = Dictionary(
      tables.map { ($0.table.name, $0.uniqueColumns) }, uniquingKeysWith: { $0.union($1) })
  }

  /// Whether an index of the table begins with the column, so that a comparison reads fewer rows.
  package func isIndexed(_ column: String, of table: String) -> Bool {
    indexedColumns[table]?.contains(column) ?? false
  }

  /// Whether no two rows of the table have the same value in the column, except null.
  func isUnique(_ column: String, of table: String) -> Bool {
    uniqueColumns[table]?.contains(column) ?? false
  }

  package func entity(named name: String) -> EntityMapping? {
    byName[name]
  }

  /// The entity of a class; `nil` for another class with the same name.
  package func entity(for type: any PersistentModel.Type) -> EntityMapping? {
    byName[type._$descriptor.entityName].flatMap { $0.descriptor.type == type ? $0 : nil }
  }

  package func entity(number: Int) -> EntityMapping? {
    byNumber.indices.contains(number) ? byNumber[number] : nil
  }

  /// The names of the entities by number; empty for unused numbers.
  package var namesByNumber: [String] { byNumber.map { $0?.name ?? "" } }

  /// The attributes whose values may be stored in files, named with the declaring entity:
  /// `Photo.data`.
  package var externalAttributes: [String] {
    entities.flatMap { entity in
      entity.ownSlots.filter { entity.descriptor.properties[$0].isExternallyStored }
        .map { "\(entity.name).\(entity.properties[$0].name)" }
    }.sorted()
  }

  /// The Swift types of integers whose column type is ambiguous, named with the declaring entity:
  /// `["Trip.code": "UInt64"]`.
  package var integerTypes: [String: String] {
    var types: [String: String] = [:]
    for entity in entities {
      types.merge(entity.descriptor.integerTypes, uniquingKeysWith: { $1 })
    }
    return types
  }

  /// The parts of composites that may be nil, named with the declaring entity: `Trip.place.zip`.
  package var optionalParts: Set<String> { Set(entities.flatMap(\.descriptor.optionalParts)) }

  /// The statements that create every table and index of the schema, all tables first.
  package var creationStatements: [any SQLStatement] {
    tables.map(\.table) + tables.flatMap(\.indexes)
  }
}
