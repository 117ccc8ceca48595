import OpenSwiftDataSQLSyntax

/// What is done with a file, decided from what it says about itself and from the models alone.
enum StoreDecision {
  /// The file is empty: the tables of the mapping are made.
  case create(SchemaMapping)
  /// The file holds all models, under the numbers of the mapping.
  case open(SchemaMapping)
  /// The file was made with other models.
  case refuse([StoreDifference])

  /// - Parameters:
  ///   - stored: What the file says; `nil` for an empty one.
  ///   - schema: The validated schema.
  ///   - descriptors: The descriptors of its classes by entity name.
  init(stored: StoredSchema?, schema: Schema, descriptors: [String: _ModelDescriptor]) {
    guard let stored else {
      self = .create(SchemaMapping(schema: schema, descriptors: descriptors))
      return
    }
    let mapping = SchemaMapping(
      schema: schema, descriptors: descriptors, file: stored.fileEntities)
    let differences = StoreDifference.all(between: stored, and: mapping)
    self = differences.isEmpty ? .open(mapping) : .refuse(differences)
  }
}

extension StoredSchema {
  /// The file's numbers as input of a mapping.
  var fileEntities: FileEntities {
    FileEntities(
      stored: entities.map { ($0.name, $0.number, $0.superNumber) }, tables: Set(columns.keys))
  }
}

/// One thing that the models need and a file has not.
///
/// What a file has besides, entities, tables and columns that no model names, is no difference: it
/// stays as it is, and rows of entities that the models lack are not read.
enum StoreDifference: Hashable {
  case newModel(String)
  case invalidNumber(entity: String, number: Int)
  case superclass(entity: String, stored: String?, model: String?)
  case missingColumn(entity: String, property: String, column: String)
  case columnType(entity: String, property: String, stored: String, model: String)
  case missingTable(String)

  /// In the order of the entities; a new model is listed once, not with each of its properties.
  static func all(between stored: StoredSchema, and mapping: SchemaMapping) -> [StoreDifference] {
    var differences: [StoreDifference] = []
    var newTables: Set<String> = []
    let (byName, byNumber) = (stored.entitiesByName, stored.entitiesByNumber)
    for entity in mapping.entities {
      guard let known = byName[entity.name] else {
        differences.append(.newModel(entity.name))
        if !entity.sharesTable { newTables.insert(entity.table) }
        continue
      }
      differences += StoreDifference.all(
        of: entity, known, superName: byNumber[known.superNumber]?.name,
        stored.columns[entity.table])
    }
    for table in mapping.tables.map(\.table.name)
    where stored.columns[table] == nil && !newTables.contains(table) {
      differences.append(.missingTable(table))
    }
    return differences
  }

  private static func all(
    of entity: EntityMapping, _ known: StoredSchema.Entity, superName: String?,
    _ columns: [String: String]?
  ) -> [StoreDifference] {
    guard known.number == entity.number else {
      return [.invalidNumber(entity: entity.name, number: known.number)]
    }
    var differences: [StoreDifference] = []
    if superName != entity.superName {
      differences.append(
        .superclass(entity: entity.name, stored: superName, model: entity.superName))
    }
    guard let columns else { return differences }
    for property in entity.properties {
      for column in entity.columns(of: property) {
        guard let type = columns[column.name] else {
          differences.append(
            .missingColumn(
              entity: entity.name, property: property.name, column: column.name))
          continue
        }
        let model = column.sqlType.columnName(in: .sqlite)
        if ValueFamily(type) != ValueFamily(model) {
          differences.append(
            .columnType(
              entity: entity.name, property: property.name, stored: type, model: model))
        }
      }
    }
    return differences
  }

  /// Columns of one family take each other's values without loss of their kind.
  private enum ValueFamily {
    case number, text, bytes

    init(_ type: String) {
      switch type.uppercased() {
      case let type where type.contains("CHAR") || type.contains("TEXT"): self = .text
      case "", "BLOB": self = .bytes
      default: self = .number
      }
    }
  }
}

extension StoreDifference: CustomStringConvertible {
  /// A clause of the sentence that refuses the file.
  var description: String {
    switch self {
    case .newModel(let entity): "the model \(entity) is new"
    case .invalidNumber(let entity, let number):
      "the model \(entity) has the number \(number), which is out of range"
    case .superclass(let entity, let stored, let model):
      "the model \(entity) \(Self.ancestry(model)) and \(Self.ancestry(stored)) in the file"
    case .missingColumn(let entity, let property, let column):
      "\(entity).\(property) has no column \(column)"
    case .columnType(let entity, let property, let stored, let model):
      "\(entity).\(property) is \(model) and \(stored) in the file"
    case .missingTable(let table): "there is no table \(table)"
    }
  }

  private static func ancestry(_ superName: String?) -> String {
    superName.map { "inherits from \($0)" } ?? "inherits from no model"
  }
}
