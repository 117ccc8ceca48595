import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// What is done with a file, decided from what it says about itself and from the models alone.
enum StoreDecision {
  /// The file is empty: the tables of the mapping are made.
  case create(SchemaMapping)
  /// The file holds all models, under the numbers of the mapping.
  /// - Parameter isIncomplete: Whether the file says of no model that it is its own.
  case open(SchemaMapping, isIncomplete: Bool)
  /// The file was made with other models.
  case refuse([StoreDifference])

  /// - Parameters:
  ///   - stored: What the file says; `nil` for an empty one.
  ///   - schema: The validated schema.
  ///   - descriptors: The descriptors of its classes by entity name.
  ///   - isRead: Whether the file is only read.
  init(
    stored: StoredSchema?, schema: Schema, descriptors: [String: _ModelDescriptor],
    isRead: Bool = false
  ) {
    guard let stored else {
      self = .create(SchemaMapping(schema: schema, descriptors: descriptors))
      return
    }
    var recognition = StoreRecognition(stored, ModelDescription(schema, descriptors: descriptors))
    let mapping = SchemaMapping(
      schema: schema, descriptors: descriptors, file: recognition.fileEntities)
    if isRead, stored.writingObstacle != nil { recognition.ignoreUnread(in: mapping.layout) }
    let differences =
      recognition.differences.isEmpty
      ? StoreDifference.all(
        between: recognition.stored, and: mapping, isRecognised: recognition.isCertain)
      : recognition.differences.map(StoreDifference.model)
    self =
      differences.isEmpty
      ? .open(mapping, isIncomplete: !recognition.isCertain) : .refuse(differences)
  }
}

/// Whether the rows of a file are those of a model.
///
/// Version hashes tell it. Where they differ, the content of the model cache is compared, which says what
/// differs, and whether it matters. A file without hashes is recognised by its columns.
private struct StoreRecognition {
  private(set) var differences: [ModelDifference]
  /// Whether the file itself says that it holds the model.
  let isCertain: Bool
  /// What the file says, with the names of its entities settled.
  let stored: StoredSchema
  private let model: ModelDescription?

  init(_ stored: StoredSchema, _ current: ModelDescription) {
    let known = stored.modelMetadata?.versionHashes ?? [:]
    let hashes = VersionHashes(current).byEntity
    let isEqual = hashes.allSatisfy { known[$0.key] == $0.value }
    let listed = Set(stored.entities.map(\.name))
    let hasOthers = stored.entities.contains {
      EntityNumbering.isValid($0.number) && current[$0.name] == nil
    }
    model = isEqual && !hasOthers ? nil : stored.model
    self.stored = model.map(stored.renamed) ?? stored
    isCertain = !known.isEmpty || model != nil
    if isEqual {
      differences = []
    } else if let model {
      differences = ModelDifference.all(from: model, to: current)
    } else {
      differences = current.entities.filter {
        known.isEmpty ? !listed.contains($0.name) : known[$0.name] == nil
      }.map { .newEntity($0.name) }
    }
  }

  /// For a file that can't be migrated: what it has besides the models is no obstacle to reading, as long as
  /// the columns that are read have the same names.
  mutating func ignoreUnread(in layout: StoreLayout) {
    guard let known = model ?? stored.model else { return }
    let file = StoreLayout(
      known, numbers: stored.entitiesByName.mapValues(\.number),
      knownTables: Set(stored.columns.keys))
    let isRead = layout.tables.allSatisfy { table in
      table.columns.allSatisfy { column in
        let id = column.id
        return layout.model[id.entity] == nil || file.model[id.entity] == nil
          || file.column(id.property, of: id.entity, id.part).map { $0.name == column.name } ?? true
      }
    }
    guard isRead else { return }
    differences.removeAll { difference in
      switch difference {
      case .removedProperty, .newConstraint, .removedConstraint: true
      case .changedProperty(_, .attribute(var stored), .attribute(let current)):
        {
          stored.isOptional = current.isOptional
          return !stored.differs(from: current)
        }()
      default: false
      }
    }
  }

  /// What the file says of its entities, as input of a mapping.
  var fileEntities: FileEntities {
    FileEntities(
      stored: stored.entities.map { ($0.name, $0.number, $0.superNumber) }, model: model,
      tables: Set(stored.columns.keys))
  }
}

/// One thing that the models need and a file has not.
///
/// What a file has besides, entities and tables that no model names, is no difference: it stays as it is,
/// and rows of entities that the models lack are not read.
enum StoreDifference: Hashable {
  case model(ModelDifference)
  case invalidNumber(entity: String, number: Int)
  case missingColumn(entity: String, property: String, column: String)
  case columnType(entity: String, property: String, stored: String, model: String)
  case missingTable(String)
  /// A column that no property of the models has, in a file that does not tell its model: the names
  /// of other columns may follow from it.
  case unknownColumn(table: String, column: String)

  /// In the order of the entities.
  /// - Parameter isRecognised: Whether the file itself says that it holds the models.
  static func all(
    between stored: StoredSchema, and mapping: SchemaMapping, isRecognised: Bool
  ) -> [StoreDifference] {
    var differences: [StoreDifference] = []
    let (byName, byNumber) = (stored.entitiesByName, stored.entitiesByNumber)
    for entity in mapping.entities {
      guard let known = byName[entity.name] else {
        differences.append(.model(.newEntity(entity.name)))
        continue
      }
      guard known.number == entity.number else {
        differences.append(.invalidNumber(entity: entity.name, number: known.number))
        continue
      }
      let superName = byNumber[known.superNumber]?.name
      if superName != entity.superName {
        differences.append(
          .model(
            .superentity(entity: entity.name, stored: superName, current: entity.superName)))
      }
      differences += all(of: entity, stored.columns[entity.table])
    }
    differences += mapping.tables.map(\.table.name).filter { stored.columns[$0] == nil }
      .map(StoreDifference.missingTable)
    if !isRecognised && differences.isEmpty {
      differences += mapping.tables.flatMap { unknownColumns(of: $0, stored) }
    }
    return differences
  }

  private static func all(
    of entity: EntityMapping, _ columns: [String: String]?
  ) -> [StoreDifference] {
    guard let columns else { return [] }
    return entity.properties.flatMap { property in
      entity.columns(of: property).compactMap { column in
        guard let type = columns[column.name] else {
          return .missingColumn(
            entity: entity.name, property: property.name, column: column.name)
        }
        let model = column.sqlType.columnName(in: .sqlite)
        // SQLite takes a column without a type for one of bytes.
        if type.uppercased() == model || type.isEmpty && model == "BLOB" { return nil }
        return .columnType(
          entity: entity.name, property: property.name, stored: type, model: model)
      }
    }
  }

  private static func unknownColumns(
    of definition: TableDefinition, _ stored: StoredSchema
  ) -> [StoreDifference] {
    let known = Set(definition.table.columns.map(\.name))
    return (stored.columns[definition.table.name] ?? [:]).keys.filter { !known.contains($0) }
      .sorted().map { .unknownColumn(table: definition.table.name, column: $0) }
  }
}

extension StoreDifference: CustomStringConvertible {
  /// A clause of the sentence that refuses the file.
  var description: String {
    switch self {
    case .model(let difference): difference.description
    case .invalidNumber(let entity, let number):
      "the model \(entity) has the number \(number), which is out of range"
    case .missingColumn(let entity, let property, let column):
      "\(entity).\(property) has no column \(column)"
    case .columnType(let entity, let property, let stored, let model):
      "\(entity).\(property) is \(model) and \(stored) in the file"
    case .missingTable(let table): "there is no table \(table)"
    case .unknownColumn(let table, let column):
      "the column \(column) of \(table) belongs to no property"
    }
  }
}
