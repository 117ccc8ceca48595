import Foundation
import OpenSwiftDataSQLSyntax
package import OpenSwiftDataStoreFormat

/// What to do with a file, decided only from its schema and the models.
package enum StoreDecision {
  /// The file is empty: create the tables of the mapping.
  case create(SchemaMapping)
  /// The file contains all models, with the entity numbers of the mapping.
  /// - Parameter isIncomplete: Whether a description of the models has to be written: the file has none, or it
  ///   is damaged.
  case open(SchemaMapping, isIncomplete: Bool)
  /// The file was created with other models.
  case refuse([StoreDifference])

  /// - Parameters:
  ///   - stored: The schema of the file; `nil` for an empty one.
  ///   - models: The validated schema.
  ///   - isRead: Whether the file is opened for reading only.
  package init(stored: StoredSchema?, models: DescribedSchema, isRead: Bool = false) {
    guard let stored else {
      self = .create(SchemaMapping(models))
      return
    }
    var recognition = StoreRecognition(stored, models, isRead: isRead)
    let mapping = SchemaMapping(models, file: recognition.fileEntities)
    if isRead, stored.writingObstacle != nil { recognition.ignoreUnread(in: mapping.layout) }
    let differences =
      recognition.differences.isEmpty
      ? StoreDifference.all(
        between: recognition.stored, and: mapping, isRecognised: recognition.isCertain)
      : recognition.differences.map(StoreDifference.model)
    self =
      differences.isEmpty
      ? .open(mapping, isIncomplete: recognition.isIncomplete) : .refuse(differences)
  }
}

/// Decides whether the rows of a file match the models.
///
/// Compares version hashes, and the forms of composites, which hashes leave out. If they differ,
/// compares the model in the model cache, which shows the differences and whether they matter. A file
/// without hashes is recognised by its columns.
private struct StoreRecognition {
  private(set) var differences: [ModelDifference]
  /// Whether the file itself records that it contains the models.
  let isCertain: Bool
  /// Whether the models are to be described in the file.
  private(set) var isIncomplete: Bool
  /// The schema of the file, with corrected entity names.
  let stored: StoredSchema
  private let model: ModelDescription?

  /// - Parameter isRead: Whether nothing will be written.
  init(_ stored: StoredSchema, _ models: DescribedSchema, isRead: Bool) {
    let known = stored.modelMetadata?.versionHashes ?? [:]
    let (current, hashes) = (models.model, models.hashes)
    let isEqual = hashes.allSatisfy { known[$0.key] == $0.value }
    let listed = Set(stored.entities.map(\.name))
    let hasOthers = stored.entities.contains {
      EntityNumbering.isValid($0.number) && current[$0.name] == nil
    }
    // Other entities may have columns in the same tables.
    let changes =
      isEqual && !hasOthers
      ? models.compositeForms.changes(
        from: stored.modelMetadata?.compositeForms, in: stored.model) : []
    model = isEqual && changes.isEmpty && !hasOthers ? nil : stored.model
    self.stored = model.map(stored.renamed) ?? stored
    isCertain = !known.isEmpty || model != nil
    isIncomplete = !isCertain
    if isEqual {
      differences = changes
    } else if let model {
      differences = ModelDifference.all(from: model, to: current)
    } else {
      differences = current.entities.filter {
        known.isEmpty ? !listed.contains($0.name) : known[$0.name] == nil
      }.map { .newEntity($0.name) }
    }
    // Only models that equal those of the file, by their hashes, can be described anew: how values are stored, the
    // metadata tell. Whether names are to be exchanged, the lost description would tell.
    guard !isRead, !isIncomplete, !known.isEmpty, differences.isEmpty, !hasOthers else { return }
    isIncomplete = stored.lacksModel && ExchangedNames(current).isEmpty
  }

  /// For a file that can't be migrated: additional content does not prevent reading, if the columns
  /// that are read have the same names.
  mutating func ignoreUnread(in layout: StoreLayout) {
    guard let known = model ?? stored.model else { return }
    let file = StoreLayout(
      known, numbers: stored.entitiesByName.mapValues(\.number),
      knownTables: Set(stored.columns.keys), longestName: stored.dialect.longestName)
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

  /// The entities of the file, as input of a mapping.
  var fileEntities: FileEntities {
    FileEntities(
      stored: stored.entities.map { ($0.name, $0.number, $0.superNumber) }, model: model,
      tables: Set(stored.columns.keys), longestName: stored.dialect.longestName)
  }
}

/// Something that the models need and a file lacks.
///
/// Additional content of a file, such as entities and tables without models, is no difference: it
/// stays unchanged, and rows of entities without models are not read.
package enum StoreDifference: Equatable {
  case model(ModelDifference)
  case invalidNumber(entity: String, number: Int)
  case missingColumn(entity: String, property: String, column: String)
  case columnType(entity: String, property: String, stored: String, model: String)
  case missingTable(String)
  /// A column without a property, in a file that does not contain its model: the names of other
  /// columns may depend on it.
  case unknownColumn(table: String, column: String)

  /// The differences, in the order of the entities.
  /// - Parameter isRecognised: Whether the file itself records that it contains the models.
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
      differences += all(of: entity, stored.columns[entity.table], stored.dialect)
    }
    differences += mapping.tables.map(\.table.name).filter { stored.columns[$0] == nil }
      .map(StoreDifference.missingTable)
    if !isRecognised && differences.isEmpty {
      differences += mapping.tables.flatMap { unknownColumns(of: $0, stored) }
    }
    return differences
  }

  private static func all(
    of entity: EntityMapping, _ columns: [String: String]?, _ dialect: SQLDialect
  ) -> [StoreDifference] {
    guard let columns else { return [] }
    return entity.properties.flatMap { property in
      entity.columns(of: property).compactMap { column in
        guard let type = columns[column.name] else {
          return .missingColumn(
            entity: entity.name, property: property.name, column: column.name)
        }
        let model =
          dialect == .sqlite
          ? column.sqlType.columnName(in: dialect) : column.sqlType.name(in: dialect)
        // In SQLite, a column without a type is a blob column.
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
  /// A clause for the error that refuses the file.
  package var description: String {
    switch self {
    case .model(let difference): difference.description
    case .invalidNumber(let entity, let number):
      "the model \(entity) has the number \(number), which is out of range"
    case .missingColumn(let entity, let property, let column):
      "\(entity).\(property) has no column \(column)"
    case .columnType(let entity, let property, let stored, let model):
      "\(entity).\(property) is \(model) and \(stored) in the store"
    case .missingTable(let table): "there is no table \(table)"
    case .unknownColumn(let table, let column):
      "the column \(column) of \(table) belongs to no property"
    }
  }
}

extension [StoreDifference] {
  /// The names of missing tables, if nothing else differs from the models of the store.
  package var missingTables: String? {
    let names = compactMap { difference in
      if case .missingTable(let table) = difference { table } else { nil }
    }
    return names.isEmpty || names.count < count ? nil : names.joined(separator: ", ")
  }
}
