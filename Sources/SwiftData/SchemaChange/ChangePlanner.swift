import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// Determines a source for every column of a changed file, and the checks of its rows beforehand.
struct ChangePlanner {
  let links: LinkPlanner
  /// The mapping of the model classes; `nil` for a model without classes.
  let mapping: SchemaMapping?
  let lastKeys: [String: Int64]
  /// The attributes whose values have tags in the file; `nil` if the file does not record them.
  let storedExternals: Set<String>?
  /// The Swift types of integers; `nil` if the file does not record them.
  let storedIntegers: [String: String]?
  /// How the file stores composites, as far as it records it (`CompositeForms.texts`).
  let storedForms: [String: String]
  /// The properties that models declare as removed, by entity, for models without classes.
  let declaredRemovals: [String: Set<String>]
  let target: ChangeTarget
  /// Whether code may carry over the values of removed properties.
  let mayCarryOver: Bool
  /// Whether code sets values that cannot be carried over.
  let toleratesLosses: Bool
  let sql: ChangeSQL
  let functions: MigrationFunctions
  /// The types in messages: of the file, and of the models.
  let storedTypes: TypeTexts
  let currentTypes: TypeTexts
  var checks: [ChangeCheck] = []
  var losses: [LossCheck] = []
  var required: [RequiredCheck] = []
  private(set) var dividedLinks: Set<EarlierLinks> = []
  var linkTables: [LinkTable] = []
  private var changedValues: [ChangedValues] = []

  var old: StoreLayout { links.stored }
  var new: StoreLayout { links.current }
  var counterparts: ModelCounterparts { links.counterparts }

  init(
    _ links: LinkPlanner, _ mapping: SchemaMapping?, lastKeys: [String: Int64],
    stored: StoreMetadata?, _ options: SchemaChange.Options, _ target: ChangeTarget,
    _ sql: ChangeSQL
  ) {
    self.sql = sql
    self.target = target
    functions = MigrationFunctions(sql, options.externalFolder)
    self.links = links
    self.mapping = mapping
    self.lastKeys = lastKeys
    storedExternals = stored?.externalAttributes.map(Set.init)
    storedIntegers = stored?.integerTypes
    storedTypes = TypeTexts(integers: stored?.integerTypes ?? [:])
    currentTypes = target.typeTexts
    storedForms =
      stored?.compositeForms.map { CompositeForms.valid($0, for: links.stored.model) } ?? [:]
    declaredRemovals = options.removedProperties
    toleratesLosses = options.keepsOldTables
    mayCarryOver = options.keepsOldTables || options.codeReadsBothVersions
    dividedLinks = findDividedLinks()
  }

  mutating func plan() throws -> ChangePlan {
    var tables: [TableChange] = []
    for table in new.tables {
      let sources = links.sources.byTable[table.name] ?? []
      var columns: [[ColumnSource]] = []
      var versions: [String] = []
      for source in sources {
        let known = changedValues.count
        columns.append(try self.columns(of: table, from: source))
        versions.append(ChangedValues.version(Array(changedValues[known...])))
      }
      tables.append(
        TableChange(
          table, sources: sources, columns: columns, versions: versions, stored: old,
          all: links.sources, lastKeys: lastKeys, makesAll: toleratesLosses, target: target, sql))
    }
    for entity in new.model.entities { checkUniqueness(of: entity, tables) }
    refuseRepeatedNames()
    refuseCrossedLinks()
    noteRemovals()
    return ChangePlan(
      tables: tables, joins: joinChanges(), links: linkTables,
      entityNumbers: entityNumbers(tables), changedValues: changedValues, defaults: functions,
      sources: links.sources, losses: losses, required: required,
      unitedLinks: unitedLinks())
  }

  // MARK: Columns

  private mutating func columns(
    of table: StoreLayout.Table, from source: TableSource
  ) throws -> [ColumnSource] {
    var found: [StoreLayout.ColumnID: [(rows: TableSource.Rows, source: ColumnSource?)]] = [:]
    for rows in source.rows {
      var own: [StoreLayout.ColumnID: ColumnSource] = [:]
      var changed = ChangedValues(rows, in: source.table)
      for entity in new.model.lineage(of: rows.current.name) {
        for property in entity.properties {
          switch property {
          case .attribute(let attribute):
            if attribute.isTransient { continue }
            reportLostValues(of: property, rows, source.table)
            let change = try change(of: attribute, declaredBy: entity.name, rows, source.table)
            // Rows that are refused for the former name need no default value.
            if let refused = refuseRepeatedName(
              of: property, declaredBy: entity, rows, source.table)
            {
              checks += change.checks.map { $0.besides(refused) }
            } else {
              checks += change.checks
            }
            noteRemovedMembers(change)
            noteRequiredCode(of: attribute, declaredBy: entity.name, change)
            changed.note(attribute.name, where: change.changes)
            for (path, term) in change.sources {
              own[id(entity.name, attribute.name, attribute.part(path))] = term
            }
          case .relationship(let relationship):
            if relationship.isTransient { continue }
            refuseRepeatedName(of: property, declaredBy: entity, rows, source.table)
            reportLostValues(of: property, rows, source.table)
            changed.note(
              relationship.name,
              where: links.changes(
                of: relationship, declaredBy: entity.name, rows, source.table))
            if relationship.isToMany { continue }
            own[id(entity.name, relationship.name, .value)] = key(
              of: relationship, declaredBy: entity.name, rows, source.table, table)
          case .fetched: continue
          }
        }
      }
      changedValues.append(changed)
      for column in table.columns {
        if case .owner = column.id.part {
          own[column.id] = ownerKey(column.id, rows, source.table, table)
        }
        found[column.id, default: []].append((rows, own[column.id]))
      }
    }
    return table.columns.map { column in
      if column.id.part == .entityNumber { return entityNumber(column, source) }
      return ColumnSource.combined(found[column.id] ?? []) { name, entity in
        isEmpty(name, of: source.table, in: entity)
      }
    }
  }

  private func id(
    _ entity: String, _ property: String, _ part: StoreLayout.ColumnID.Part
  ) -> StoreLayout.ColumnID {
    StoreLayout.ColumnID(entity: entity, property: property, part: part)
  }

  /// Whether a column is always null in rows of an earlier entity, because its property belongs to
  /// other entities.
  private func isEmpty(_ name: String, of table: String, in entity: EntityDescription) -> Bool {
    guard
      let column = old.tables.first(where: { $0.name == table })?.columns
        .first(where: { $0.name == name })
    else { return false }
    if case .owner = column.id.part { return false }
    return !old.model.lineage(of: entity.name).contains { $0.name == column.id.entity }
  }

  /// The work of a transformation: values that only code can carry over, and required values that
  /// it must set.
  private mutating func noteRequiredCode(
    of attribute: AttributeDescription, declaredBy owner: String, _ change: AttributeChange
  ) {
    guard toleratesLosses else { return }
    if !change.losses.isEmpty, let stored = change.stored {
      losses.append(
        LossCheck(
          change.rows.stored.name, stored.property.name, stored.typeText,
          table: change.table,
          condition: "\(change.rows.condition) AND (\(change.losses.joined(separator: " OR ")))"))
    }
    guard change.needsCode else { return }
    let columns = attribute.paths.compactMap { path, leaf in
      new.column(attribute.name, of: owner, attribute.part(path)).map {
        (path, $0.name, leaf, change.isUnique(path))
      }
    }
    let property = mapping?.entity(named: change.rows.current.name)?.descriptor
      .property(named: attribute.name)
    var isCase: ((String) -> String)?
    if case .attribute(.rawValue) = property?.form,
      let type = property?.valueType as? any RawRepresentable.Type
    {
      let table = new.table(of: owner)
      isCase = { [functions] in functions.isCase($0, in: table, of: type, isChanged: true) }
    }
    if let check = RequiredCheck(
      attribute, columns,
      required: change.required.map { ($0.key, $0.value) }
        + change.requiredParts.map { ($0, $0.dropLast()) },
      table: new.table(of: owner), change.rows, isCase: isCase)
    {
      required.append(check)
    }
  }

  /// Reports values of an attribute that becomes a relationship, or of a to-many relationship that
  /// becomes an attribute: as a loss if code can copy them, otherwise as a reason to refuse.
  private mutating func reportLostValues(
    of property: PropertyDescription, _ rows: TableSource.Rows, _ table: String
  ) {
    guard let place = counterparts.property(property.name, of: rows.current.name),
      let owner = new.model.property(property.name, of: rows.current.name)?.entity.name
    else { return }
    var condition: String?
    switch (place.property, property) {
    case (.attribute, .relationship):
      condition = "NOT (\(earlier(place).isNil))"
    // `noteRemovals` reports the lost links of a list.
    case (.relationship(let earlier), .attribute) where earlier.isToMany && !mayCarryOver:
      let links = EarlierLinks(earlier, of: place.entity.name, in: old.model)
      condition = links.pairs(in: old).map {
        "\(RowTerms.key) IN (SELECT \($0.near) FROM \($0.table.quotedName))"
      }
    default: break
    }
    guard let condition else { return }
    if mayCarryOver {
      losses.append(
        LossCheck(
          rows.current.name, property.name, earlier(place).typeText, table: table,
          condition: "\(rows.condition) AND \(condition)"))
      return
    }
    checks.append(
      ChangeCheck(
        rows.current.name, property.name, from: earlier(place).typeText,
        to: currentTypes.text(of: property, declaredBy: owner),
        reason: "would lose their values",
        advice:
          "Set the new property in a stage .transform. Or add a version with both properties, the old one "
          + "under another name, and copy the values in didMigrate.", .transformation,
        table: table, condition: "\(rows.condition) AND \(condition)"))
  }

  // MARK: Entity numbers of links

  /// The entity numbers beside keys are kept if no entity of the destination has a new number.
  private func entityNumber(_ column: StoreLayout.Column, _ source: TableSource) -> ColumnSource {
    guard let place = unchangedNumber(column, in: source.table) else { return .null }
    return .column(place)
  }

  private func unchangedNumber(_ column: StoreLayout.Column, in table: String) -> String? {
    guard
      let relationship = new.model[column.id.entity]?[column.id.property]?.relationship,
      case let earlier = links.earlierLinks(of: relationship, in: column.id.entity),
      earlier.count == 1, let near = earlier[0].near,
      earlier[0].column(in: old)?.table == table,
      let known = old.column(near.relationship.name, of: near.entity, .entityNumber),
      !toleratesLosses || links.disallowedRows(earlier[0], of: relationship.destination) == nil
    else { return nil }
    let isUnchanged = old.model.subtree(of: near.relationship.destination).allSatisfy { entity in
      counterparts.successor(of: entity.name).map {
        old.numbers[entity.name] == new.numbers[$0.name]
      } ?? false
    }
    return isUnchanged ? known.name : nil
  }

  private func entityNumbers(_ tables: [TableChange]) -> [EntityNumberColumn] {
    tables.flatMap { change -> [EntityNumberColumn] in
      change.table.columns.compactMap { column in
        guard column.id.part == .entityNumber, !change.sources.isEmpty,
          change.sources.contains(where: { unchangedNumber(column, in: $0.table) == nil }),
          let relationship = new.model[column.id.entity]?[column.id.property]?.relationship,
          let key = new.column(column.id.property, of: column.id.entity)
        else { return nil }
        return EntityNumberColumn(
          table: change.table.name, column: column.name, key: key.name,
          destination: new.table(of: relationship.destination))
      }
    }
  }
}
