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
  /// The properties that models declare as removed, by entity, for models without classes.
  let declaredRemovals: [String: Set<String>]
  let target: ChangeTarget
  /// Whether code may carry over the values of removed properties.
  let mayCarryOver: Bool
  /// Whether code sets values that cannot be carried over.
  let toleratesLosses: Bool
  let sql: ChangeSQL
  let functions: MigrationFunctions
  var checks: [ChangeCheck] = []
  var losses: [LossCheck] = []
  private(set) var required: [RequiredCheck] = []
  private(set) var dividedLinks: Set<EarlierLinks> = []
  private var linkTables: [LinkTable] = []
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
    functions = MigrationFunctions(sql)
    self.links = links
    self.mapping = mapping
    self.lastKeys = lastKeys
    storedExternals = stored?.externalAttributes.map(Set.init)
    storedIntegers = stored?.integerTypes
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
    noteRemovals()
    return ChangePlan(
      tables: tables, joins: joinChanges(), links: linkTables,
      entityNumbers: entityNumbers(tables), changedValues: changedValues, defaults: functions,
      sources: links.sources, losses: losses, required: required)
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
            checks += change.checks
            noteRequiredCode(of: attribute, declaredBy: entity.name, change)
            changed.note(attribute.name, where: change.changes)
            for (path, term) in change.sources {
              own[id(entity.name, attribute.name, attribute.part(path))] = external(
                term, attribute, of: entity.name, rows)
            }
          case .relationship(let relationship):
            if relationship.isTransient { continue }
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
          change.rows.stored.name, stored.property.name, stored.property.typeText,
          table: change.table,
          condition: "\(change.rows.condition) AND (\(change.losses.joined(separator: " OR ")))"))
    }
    guard change.needsCode, !attribute.isOptional else { return }
    let columns = attribute.paths.compactMap { path, leaf in
      new.column(attribute.name, of: owner, attribute.part(path)).map { ($0.name, leaf) }
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
      attribute, columns, table: new.table(of: owner), change.rows, isCase: isCase)
    {
      required.append(check)
    }
  }

  /// Reports values of an attribute that becomes a relationship, or of a to-many relationship that
  /// becomes an attribute: as a loss if code before and after the change can copy them, otherwise as a
  /// reason to refuse.
  private mutating func reportLostValues(
    of property: PropertyDescription, _ rows: TableSource.Rows, _ table: String
  ) {
    guard !toleratesLosses, let place = counterparts.property(property.name, of: rows.current.name)
    else { return }
    var condition: String?
    switch (place.property, property) {
    case (.attribute, .relationship):
      let stored = AttributeChange.Earlier(property: place.property, columns: columns(of: place))
      condition = "NOT (\(stored.isNil))"
    case (.relationship(let earlier), .attribute) where earlier.isToMany:
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
          rows.current.name, property.name, place.property.typeText, table: table,
          condition: "\(rows.condition) AND \(condition)"))
      return
    }
    checks.append(
      ChangeCheck(
        rows.current.name, property.name, from: place.property.typeText, to: property.typeText,
        reason: "would lose their values",
        advice:
          "Set the new property in a stage .transform. Or add a version with both properties, the old one "
          + "under another name, and copy the values in didMigrate.", .transformation,
        table: table, condition: "\(rows.condition) AND \(condition)"))
  }

  // MARK: Relationships

  private mutating func key(
    of relationship: RelationshipDescription, declaredBy owner: String, _ rows: TableSource.Rows,
    _ source: String, _ table: StoreLayout.Table
  ) -> ColumnSource {
    let earlier = links.earlierLinks(of: relationship, in: owner)
    let destination = new.table(of: relationship.destination)
    for link in earlier {
      if let keys = links.keysOfDisallowedLinks(link, of: relationship.destination),
        !toleratesLosses
      {
        note(
          owner, relationship.name, from: "a link to \(link.destination ?? "another model")",
          to: PropertyDescription.relationship(relationship).typeText,
          "refer to models of another type", keys)
      }
    }
    let column = new.column(relationship.name, of: owner)?.name ?? ""
    let term = linkTerm(
      earlier, source, table.name, column, destination,
      between: (owner, relationship.destination), owner, relationship.name)
    if !relationship.isOptional {
      if mayBeEmpty(earlier, of: relationship.destination, rows) {
        if toleratesLosses {
          required.append(RequiredCheck(relationship, column: column, table: table.name, rows))
          return term
        }
        let condition: String
        if case .links(let index) = term {
          condition =
            "\(RowTerms.key) NOT IN (\(linkTables[index].selections.map { "SELECT A FROM (\($0)) AS L" }.joined(separator: " UNION ")))"
        } else {
          condition = "(\(term.sql)) IS NULL"
        }
        checks.append(
          ChangeCheck(
            rows.current.name, relationship.name,
            from: earlier.isEmpty ? "nothing" : "optional",
            to: PropertyDescription.relationship(relationship).typeText,
            reason: "have no model for it",
            advice: "Make the relationship optional, or "
              + (earlier.isEmpty
                ? "set it in a stage .transform." : "set it in willMigrate of a custom stage."),
            earlier.isEmpty ? .transformation : .before, table: source,
            condition: "\(rows.condition) AND \(condition)"))
      }
    }
    return term
  }

  /// Whether rows may have no link of a required relationship.
  private func mayBeEmpty(
    _ earlier: [EarlierLinks], of destination: String, _ rows: TableSource.Rows
  ) -> Bool {
    if earlier.isEmpty || earlier.contains(where: \.isOptional) { return true }
    // Rows of another class than those that had the relationship.
    let hadLinks = earlier.contains { link in
      guard let near = link.near else { return false }
      return old.model.subtree(of: near.entity).contains { $0.name == rows.stored.name }
    }
    let losesModels = earlier.contains { link in
      guard let far = link.tables(in: old)?.far else { return false }
      return links.sources.removed[far] != nil
        || links.disallowedRows(link, of: destination) != nil
    }
    return !hadLinks || losesModels
  }

  /// The source of the owner's key of a to-many relationship without an inverse, in its members'
  /// rows.
  private mutating func ownerKey(
    _ id: StoreLayout.ColumnID, _ rows: TableSource.Rows, _ source: String,
    _ table: StoreLayout.Table
  ) -> ColumnSource? {
    guard let relationship = new.model[id.entity]?[id.property]?.relationship else { return nil }
    let members = new.model.subtree(of: relationship.destination)
    guard members.contains(where: { $0.name == rows.current.name }) else { return nil }
    let earlier = links.earlierLinks(of: relationship, in: id.entity).map(\.reversed)
    let column = new.column(id.property, of: id.entity, .owner)?.name ?? ""
    return linkTerm(
      earlier, source, table.name, column, new.table(of: id.entity),
      between: (relationship.destination, id.entity), only: id.entity, id.entity, id.property)
  }

  /// The source of a column with keys of related rows: a column of the same rows, or pairs that are
  /// collected from other tables.
  /// - Parameters:
  ///   - entities: The entities of the changed models that the relationship connects.
  ///   - owner: The entity to which all related rows belong; `nil` if another check refuses others.
  private mutating func linkTerm(
    _ earlier: [EarlierLinks], _ source: String, _ table: String, _ column: String,
    _ destination: String, between entities: (near: String, far: String),
    only owner: String? = nil, _ entity: String, _ property: String
  ) -> ColumnSource {
    if earlier.isEmpty { return .null }
    let local = earlier.map { link in
      link.column(in: old).flatMap { $0.table == source ? $0.name : nil }
    }
    if local.allSatisfy({ $0 != nil }) {
      let names = local.compactMap(\.self)
      let terms = zip(names, earlier).map { name, link in
        links.key(name.quotedName, of: link, in: destination, only: owner)
      }
      if Set(terms).count == 1 {
        return terms[0] == names[0].quotedName ? .column(names[0]) : .expression(terms[0])
      }
      let first = terms[0]
      for term in terms.dropFirst() {
        note(
          entity, property, from: "two relationships", to: "one",
          "refer to different models",
          "SELECT \(RowTerms.key) FROM \(source.quotedName) WHERE (\(first)) <> (\(term))")
      }
      return .expression("coalesce(\(terms.joined(separator: ", ")))")
    }
    if let known = linkTables.firstIndex(where: { $0.table == table && $0.column == column }) {
      return .links(known)
    }
    let selections = earlier.compactMap {
      links.selection(
        $0, near: table, far: destination, between: dividedLinks.contains($0) ? entities : nil)
    }
    if selections.isEmpty { return .null }
    let union = selections.joined(separator: " UNION ")
    note(
      entity, property, from: "a list", to: "one model", "have several members",
      "SELECT A FROM (\(union)) AS L GROUP BY A HAVING count(DISTINCT B) > 1")
    linkTables.append(
      LinkTable(
        name: "LINKS_\(linkTables.count)", selections: selections, table: table, column: column))
    return .links(linkTables.count - 1)
  }

  private mutating func note(
    _ entity: String, _ property: String, from: String, to: String, _ reason: String,
    _ keys: String
  ) {
    checks.append(
      ChangeCheck(
        entity, property, from: from, to: to, reason: reason,
        advice: "Remove the surplus links in willMigrate of a custom stage.", .before,
        keys: keys))
  }

  private func joinChanges() -> [JoinChange] {
    new.joinTables.map { table in
      guard let owner = owner(of: table) else {
        return JoinChange(table: table, kind: .filled([]))
      }
      return JoinChange(table: table, kind: joinKind(table, owner))
    }
  }

  /// A relationship with its pairs in a join table of the changed file.
  private typealias JoinOwner = (
    entity: String, relationship: RelationshipDescription, side: StoreLayout.JoinSide
  )

  private func owner(of table: StoreLayout.JoinTable) -> JoinOwner? {
    for entity in new.model.entities {
      for relationship in entity.properties.compactMap(\.relationship) {
        if let side = new.joinSide(relationship.name, of: entity.name), side.table == table {
          return (entity.name, relationship, side)
        }
      }
    }
    return nil
  }

  /// Links that are divided, as after a relationship has moved into subclasses. Several join tables
  /// continue them, or a relationship that does not have the rows of all their classes. Then each
  /// gets the pairs between rows of its own classes.
  private func findDividedLinks() -> Set<EarlierLinks> {
    var found: Set<EarlierLinks> = []
    for entity in new.model.entities {
      for relationship in entity.properties.compactMap(\.relationship)
      where !relationship.isTransient {
        for links in links.earlierLinks(of: relationship, in: entity.name)
        where !hasAllRows(of: links, near: entity.name, far: relationship.destination) {
          found.formUnion([links, links.reversed])
        }
      }
    }
    var counts: [EarlierLinks: Int] = [:]
    for table in new.joinTables {
      guard let owner = owner(of: table) else { continue }
      let earlier = links.earlierLinks(of: owner.relationship, in: owner.entity)
        .filter { $0.joinTable(in: old) != nil }
      for links in Set(earlier + earlier.map(\.reversed)) { counts[links, default: 0] += 1 }
    }
    return found.union(counts.filter { $0.value > 1 }.keys)
  }

  /// Whether all rows that links may have, and that continue, are rows of two entities.
  private func hasAllRows(of links: EarlierLinks, near: String, far: String) -> Bool {
    func isWithin(_ earlier: String, _ current: String) -> Bool {
      let names = Set(
        new.model.subtree(of: current).compactMap { counterparts.entity($0.name)?.name })
      return old.model.subtree(of: earlier).allSatisfy {
        names.contains($0.name) || counterparts.successor(of: $0.name) == nil
      }
    }
    guard let origin = links.origin, let destination = links.destination else { return true }
    return isWithin(origin, near) && isWithin(destination, far)
  }

  private func joinKind(
    _ table: StoreLayout.JoinTable, _ owner: JoinOwner
  ) -> JoinChange.Kind {
    let (entity, relationship, side) = owner
    let earlier = links.earlierLinks(of: relationship, in: entity)
    let (near, far) = (new.table(of: entity), new.table(of: relationship.destination))
    if !toleratesLosses, earlier.count == 1, !dividedLinks.contains(earlier[0]),
      let join = earlier[0].joinTable(in: old),
      let tables = earlier[0].tables(in: old),
      links.sources.removed[tables.near] == nil, links.sources.removed[tables.far] == nil,
      links.sources.offset(from: tables.near, to: near) == 0,
      links.sources.offset(from: tables.far, to: far) == 0,
      (join.table.columns[0] == join.near) == (table.columns[0] == side.ownerColumn)
    {
      return .renamed(from: join.table)
    }
    let selections = earlier.compactMap {
      links.selection(
        $0, near: near, far: far,
        between: dividedLinks.contains($0) ? (entity, relationship.destination) : nil)
    }
    let isForward = table.columns[0] == side.ownerColumn
    return .filled(
      selections.map { isForward ? $0 : "SELECT B, A FROM (\($0)) AS L" })
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
      let known = old.column(near.relationship.name, of: near.entity, .entityNumber)
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
