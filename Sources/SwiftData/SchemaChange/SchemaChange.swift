import OpenSwiftDataSQLSyntax
package import OpenSwiftDataStoreFormat

/// Changes the tables of a file to hold another model. Planned from both models, before anything is
/// written.
///
/// 1. `ModelCounterparts` matches entities and properties, `TableSources` determines the
///    destination of rows.
/// 2. `ChangePlanner` determines a source for every column (`AttributeChange`, `LinkPlanner`), and
///    the checks of the rows (`ChangeCheck`).
/// 3. `TableChange` decides whether a table stays, is altered, or is created again.
/// 4. `problems` runs the checks, `run` writes, both in one transaction of the caller.
///
/// Afterwards tables, indexes, entity numbers, history, metadata and model cache are the same as in
/// a new file of the model. The exceptions: columns that are added to a large table are the last
/// ones, and the metadata contain what the history and identifiers tell of earlier entities.
package struct SchemaChange {
  /// The options of the caller.
  package struct Options: Sendable {
    /// Entities to remove with their rows. Other entities without a model stay as long as they have
    /// rows.
    package var removing: Set<String> = []
    /// Whether the old tables stay, under other names, until `dropOldTables`. Values that cannot be
    /// carried over are no problem then, because code that reads both versions follows.
    package var keepsOldTables = false
    /// Whether the effects on rows are recorded in the history; if not, only a gap is recorded.
    package var keepsHistory = true
    /// Whether code runs before and after the change, which may carry over deleted values.
    package var codeReadsBothVersions = false
    /// Whether a value that would be deleted is a problem.
    package var refusesLosses = false
    /// Whether entities that continue keep their numbers, so that their rows need not be written.
    package var keepsNumbers = false
    /// Properties to remove, by entity, in addition to those that classes declare.
    package var removedProperties: [String: Set<String>] = [:]
    /// The folder with values that are stored outside of rows; `nil` if there is none.
    package var externalFolder: ExternalFolder?
    /// The new version of the file, for the history.
    package var version: String?

    package init() {}
  }

  /// Tables with a smaller last key are created again, not altered, so that their columns have the
  /// order of new files.
  @TaskLocal package static var smallTable: Int64 = 20_000

  /// The prefix of old tables as long as both versions exist.
  static let oldPrefix = "OLD_"

  let stored: StoredSchema
  let old: StoreLayout
  let target: ChangeTarget
  let counterparts: ModelCounterparts
  let options: Options
  let lastKeys: [String: Int64]
  /// The last assigned key of each entity that does not continue under its name, as far as the file
  /// records it.
  let lastKeysOfEarlierEntities: [String: Int64]
  let plan: ChangePlan
  let sql: ChangeSQL
  private let checks: [ChangeCheck]

  var new: StoreLayout { target.layout }

  /// - Parameters:
  ///   - stored: The schema of the file.
  ///   - model: The model of its rows.
  ///   - schema: The new models.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the tables of the file do not match the
  ///   model.
  init(
    stored: StoredSchema, model: ModelDescription, schema: Schema, options: Options = Options(),
    connection session: any SQLSession
  ) throws {
    let models = DescribedSchema(schema)
    try self.init(
      stored: stored, model: model, own: models.model, options: options, connection: session
    ) { ChangeTarget(SchemaMapping(models, file: $0)) }
  }

  /// A change to a model without classes, which has no declared defaults.
  package init(
    stored: StoredSchema, model: ModelDescription, target: ModelDescription,
    options: Options = Options(), connection session: any SQLSession
  ) throws {
    try self.init(
      stored: stored, model: model, own: target, options: options, connection: session
    ) { ChangeTarget(layout: $0.layout(of: target), mapping: nil) }
  }

  private init(
    stored: StoredSchema, model: ModelDescription, own: ModelDescription, options: Options,
    connection session: any SQLSession, target: (FileEntities) -> ChangeTarget
  ) throws {
    let stored = stored.renamed(by: model)
    sql = ChangeSQL(dialect: stored.dialect)
    let numbers = stored.entitiesByName.mapValues(\.number)
    let tables = Set(stored.columns.keys)
    old = StoreLayout(
      model, numbers: numbers, knownTables: tables, longestName: stored.dialect.longestName)
    try SchemaChange.check(old, stored)
    self.target = target(
      try SchemaChange.fileEntities(beside: own, stored, old, options, session))
    counterparts = ModelCounterparts(from: model, to: self.target.layout.model)
    lastKeys = try SchemaChange.lastKeys(stored, old, session)
    var earlierKeys = stored.modelMetadata?.lastKeysOfEarlierEntities ?? [:]
    for entity in model.entities
    where counterparts.successor(of: entity.name)?.name != entity.name {
      let last = max(earlierKeys[entity.name] ?? 0, lastKeys[old.table(of: entity.name)] ?? 0)
      if last > 0 { earlierKeys[entity.name] = last }
    }
    lastKeysOfEarlierEntities = earlierKeys
    let sources = TableSources(
      from: old, to: self.target.layout, counterparts, lastKeys: lastKeys)
    var planner = ChangePlanner(
      LinkPlanner(
        stored: old, current: self.target.layout, counterparts: counterparts, sources: sources,
        dropsCrossedLinks: options.keepsOldTables),
      self.target.mapping, lastKeys: lastKeys, stored: stored.modelMetadata, options, self.target,
      sql)
    plan = try planner.plan()
    // Each entity of a hierarchy checks the links that it inherits.
    var asked: Set<ChangeCheck> = []
    checks = planner.checks.filter { asked.insert($0).inserted }
    self.stored = stored
    self.options = options
  }

  /// Whether only the description in the file changes.
  var isEmpty: Bool { plan.isEmpty && old.numbers == new.numbers }

  /// Rows that would lose values or violate constraints of the new models.
  package func problems(_ session: any SQLSession) throws -> [MigrationProblem] {
    try plan.defaults.prepare(session)
    let problems = try checks.compactMap { check in
      try check.problem(
        session, counterpart: counterparts.entity(check.entity)?.name ?? check.entity)
    }
    guard options.refusesLosses else { return problems }
    let deletions = try losses(session).filter { loss in
      loss.valueCount > 0
        && !problems.contains { $0.storedEntity == loss.entity && $0.property == loss.property }
    }
    return problems + deletions.map(\.problem)
  }

  /// The values that the change deletes, and what others have added to tables that it drops.
  package func losses(_ session: any SQLSession) throws -> [MigrationLoss] {
    try plan.defaults.prepare(session)
    return try plan.losses.compactMap { try $0.loss(session) } + foreignLosses(session)
  }

  /// The links that relationships get from others whose inverses they become, as clauses.
  func unitedLinks(_ session: any SQLSession) throws -> [String] {
    try plan.unitedLinks.compactMap { try $0.text(session) }
  }

  /// The required values that code has not set after the change, as clauses.
  func missingValues(_ session: any SQLSession) throws -> [String] {
    try plan.defaults.prepare(session, isChanged: true)
    return try plan.required.compactMap { try $0.missing(session) }
  }

  /// Entities of the file with rows, of which the models keep no property: they belong to another
  /// program, unless the models name them.
  func unrelatedEntities(_ session: any SQLSession) throws -> [(entity: String, rows: Int)] {
    try old.model.entities.compactMap { entity in
      guard let current = counterparts.successor(of: entity.name), current.name == entity.name,
        let own = target.mapping?.entity(named: current.name), let number = old.numbers[entity.name]
      else { return nil }
      let stored = old.model.properties(of: entity.name).filter(\.isStored)
      guard !stored.isEmpty,
        stored.allSatisfy({ counterparts.successor(of: $0.name, of: entity.name) == nil }),
        own.descriptor.type.removedProperties.isDisjoint(with: stored.map(\.name))
      else { return nil }
      let rows = try session.integer(
        "SELECT count(*) FROM \(old.table(of: entity.name).quotedName) "
          + "WHERE \(RowTerms.entity) = \(number)")
      return rows.flatMap { $0 > 0 ? (entity.name, Int($0)) : nil }
    }
  }

  /// A clause for each difference between the models.
  var descriptions: [String] {
    ModelChange.descriptions(
      counterparts, TypeTexts(integers: stored.modelMetadata?.integerTypes ?? [:]),
      target.typeTexts, objects: stored.objects)
  }

  /// The entities whose rows are changed, by table of the file.
  var tables: [(entity: String, table: String, rows: Int64)] {
    plan.tables.filter { !$0.isEmpty }.flatMap { change in
      change.sources.map { (change.table.root, $0.table, lastKeys[$0.table] ?? 0) }
    }
  }

  // MARK: Planning

  /// The entities that only the file has and that stay. If an entity is not described by a model,
  /// its number cannot be reassigned; otherwise the numbers are those of a new file.
  private static func fileEntities(
    beside own: ModelDescription, _ stored: StoredSchema, _ layout: StoreLayout,
    _ options: Options, _ session: any SQLSession
  ) throws -> FileEntities {
    let model = layout.model
    let counterparts = ModelCounterparts(from: model, to: own)
    // An entity without rows can be removed.
    let used = try model.entities.filter { entity in
      guard counterparts.successor(of: entity.name) == nil,
        !options.removing.contains(entity.name), let number = layout.numbers[entity.name]
      else { return false }
      let table = layout.table(of: entity.name).quotedName
      return try session.integer(
        "SELECT 1 FROM \(table) WHERE \(RowTerms.entity) = \(number) LIMIT 1") != nil
    }
    let needed = Set(used.flatMap { model.lineage(of: $0.name) }.map(\.name))
    let kept = model.entities.filter {
      needed.contains($0.name) && counterparts.successor(of: $0.name) == nil
    }
    let undescribed = stored.entities.filter {
      EntityNumbering.isValid($0.number) && model[$0.name] == nil
    }
    var numbers: [(name: String, number: Int, superNumber: Int)] = []
    if !undescribed.isEmpty || options.keepsNumbers {
      for entity in own.entities {
        guard let known = counterparts.entity(entity.name),
          let number = stored.entitiesByName[known.name]?.number
        else { continue }
        numbers.append((entity.name, number, 0))
      }
      for entity in stored.entities where EntityNumbering.isValid(entity.number) {
        let isKept = kept.contains { $0.name == entity.name } || model[entity.name] == nil
        if isKept { numbers.append((entity.name, entity.number, entity.superNumber)) }
      }
    }
    let others = KeptEntities(kept, beside: own, counterparts).entities
    return FileEntities(
      stored: numbers, model: others.isEmpty ? nil : ModelDescription(entities: others),
      tables: Set(stored.columns.keys), longestName: stored.dialect.longestName)
  }

  private static func check(_ layout: StoreLayout, _ stored: StoredSchema) throws {
    for table in layout.tables {
      let known = stored.columns[table.name] ?? [:]
      for column in table.columns where known[column.name] == nil {
        throw SwiftDataError.loadIssueModelContainer.with(
          "The model in the store has this property, but the table \(table.name) has no column "
            + "\(column.name) for it. \(StoreFailure.recoveryAdvice)",
          entity: column.id.entity, property: column.id.property, because: .storeDamaged)
      }
    }
  }

  private static func lastKeys(
    _ stored: StoredSchema, _ layout: StoreLayout, _ session: any SQLSession
  ) throws -> [String: Int64] {
    var keys: [String: Int64] = [:]
    for table in layout.tables where stored.columns[table.name] != nil {
      let used = try session.integer(
        "SELECT max(\(RowTerms.key)) FROM \(table.name.quotedName)")
      keys[table.name] = max(used ?? 0, stored.entitiesByName[table.root]?.lastKey ?? 0)
    }
    return keys
  }
}

/// The new model of a file.
struct ChangeTarget {
  let layout: StoreLayout
  /// The mapping of the model classes; `nil` for a model without classes.
  let mapping: SchemaMapping?
  /// The types of columns, by table and name, as far as there are classes.
  private let types: [String: [String: SQLType]]

  init(layout: StoreLayout, mapping: SchemaMapping?) {
    self.layout = layout
    self.mapping = mapping
    types = Dictionary(
      (mapping?.tables ?? []).map { definition in
        let columns = definition.table.columns.map { ($0.name, $0.type) }
        return (definition.table.name, Dictionary(columns, uniquingKeysWith: { first, _ in first }))
      }, uniquingKeysWith: { first, _ in first })
  }

  init(_ mapping: SchemaMapping) { self.init(layout: mapping.layout, mapping: mapping) }

  /// Writes the file's description of its model.
  var creation: StoreCreation {
    mapping.map { StoreCreation($0) }
      ?? StoreCreation(model: layout.model, numbers: layout.numbers, definitions: [])
  }

  /// The types of properties in messages.
  var typeTexts: TypeTexts { TypeTexts(integers: mapping?.integerTypes ?? [:]) }

  /// The type of a column: that of the classes, which may be more precise than the model's.
  func type(of column: StoreLayout.Column, in table: StoreLayout.Table) -> SQLType {
    types[table.name]?[column.name] ?? layout.sqlType(of: column)
  }
}

/// Entities of a file that the models do not contain, changed to fit beside them: relationships
/// lose inverses that do not exist any more.
struct KeptEntities {
  let entities: [EntityDescription]

  init(
    _ kept: [EntityDescription], beside own: ModelDescription, _ counterparts: ModelCounterparts
  ) {
    let names = Set(kept.map(\.name))
    func current(_ name: String) -> String? {
      names.contains(name) ? name : counterparts.successor(of: name)?.name
    }
    entities = kept.map { entity in
      EntityDescription(
        name: entity.name, className: entity.className, isAbstract: entity.isAbstract,
        superName: entity.superName.flatMap(current),
        properties: entity.properties.compactMap { property in
          guard case .relationship(var relationship) = property else { return property }
          guard let destination = current(relationship.destination) else { return nil }
          if let inverse = relationship.inverse, !names.contains(destination) {
            let successor = counterparts.successor(of: inverse, of: relationship.destination)
            let found = successor.flatMap {
              own.property($0, of: destination)?.property.relationship
            }
            if found?.destination == entity.name {
              relationship.inverse = successor
            } else if relationship.isToMany {
              return nil
            } else {
              relationship.inverse = nil
            }
          }
          relationship.destination = destination
          return .relationship(relationship)
        }, uniqueConstraints: entity.uniqueConstraints, indexes: entity.indexes,
        renamingIdentifier: entity.renamingIdentifier,
        versionHashModifier: entity.versionHashModifier)
    }
  }
}
