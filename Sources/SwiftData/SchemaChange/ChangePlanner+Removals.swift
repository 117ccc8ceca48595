import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// The parts of a file that the changed models do not continue: columns, links, and rows of whole
/// entities.
///
/// Each is a `LossCheck`, for the preview, the log and the backup. If a new declaration could hold
/// the same values, `originalName` may have been forgotten: that is a `ChangeCheck`, unless the
/// models declare the removal.
extension ChangePlanner {
  mutating func noteRemovals() {
    let continued = continuations()
    var noted: Set<EarlierLinks> = []
    for entity in old.model.entities {
      noteRows(of: entity)
      for property in entity.properties where property.isStored {
        switch property {
        case .attribute(let attribute):
          if !attribute.isDerived { noteValues(of: attribute, declaredBy: entity) }
        case .relationship(let relationship):
          let links = EarlierLinks(relationship, of: entity.name, in: old.model)
          if !noted.isDisjoint(with: [links, links.reversed]) { continue }
          noted.insert(links)
          noteLinks(links, of: relationship, declaredBy: entity, continued[links] ?? [])
        case .fetched: continue
        }
      }
    }
  }

  // MARK: Columns

  private mutating func noteValues(
    of attribute: AttributeDescription, declaredBy entity: EntityDescription
  ) {
    let declared = ModelCounterparts.DeclaredProperty(
      entity: entity, property: .attribute(attribute))
    let columns = columns(of: declared)
    if columns.isEmpty { return }
    let table = old.table(of: entity.name)
    let earlier = earlier(declared)
    let isNil = earlier.isNil
    var numbers: [Int] = []
    for (current, number) in entitiesLosing(of: attribute.name, declaredBy: entity) {
      numbers.append(number)
      refuseForgottenName(
        of: attribute, columns, in: current,
        TableSource.Rows(
          stored: entity, current: current, storedNumber: number,
          currentNumber: new.numbers[current.name] ?? number),
        rows: "\(RowTerms.entity) = \(number) AND NOT (\(isNil))", table)
    }
    if numbers.isEmpty { return }
    losses.append(
      LossCheck(
        entity.name, attribute.name, earlier.typeText, table: table,
        condition: "\(RowTerms.entity) IN (\(list(numbers))) AND NOT (\(isNil))"))
  }

  /// The entities whose rows continue without the property.
  private func entitiesLosing(
    of property: String, declaredBy entity: EntityDescription
  ) -> [(current: EntityDescription, number: Int)] {
    old.model.subtree(of: entity.name).compactMap { stored in
      guard let current = counterparts.successor(of: stored.name),
        counterparts.successor(of: property, of: stored.name) == nil,
        let number = old.numbers[stored.name]
      else { return nil }
      return (current, number)
    }
  }

  private mutating func refuseForgottenName(
    of attribute: AttributeDescription,
    _ columns: [[String]: (name: String, leaf: AttributeDescription)],
    in current: EntityDescription, _ removed: TableSource.Rows, rows: String, _ table: String
  ) {
    if mayCarryOver || isDeclaredRemoved(attribute.name, of: current.name) { return }
    var names: [String] = []
    var conditions: [String] = []
    for new in newAttributes(of: current) {
      guard let condition = carryingOver(columns, to: new, in: current, removed, table)
      else { continue }
      names.append(new.name)
      conditions.append("(\(condition))")
    }
    guard let first = names.first else { return }
    checks.append(
      ChangeCheck(
        current.name, attribute.name,
        from: storedTypes.text(of: attribute, at: [removed.stored.name, attribute.name]),
        to: "removed",
        reason:
          "have a value that \(names.count == 1 ? "the new property" : "a new property") could hold "
          + "(\(names.joined(separator: ", ")))",
        advice: "If a new property is the renamed \(attribute.name), declare "
          + "@Attribute(originalName: \"\(attribute.name)\") on it, for example on \(first). To delete the "
          + "values, declare static let removedProperties: Set<String> = "
          + "[\"\(attribute.name)\"] in the class \(declaringClass(of: current.name)).",
        .declaration,
        keys: "SELECT \(RowTerms.key) FROM \(table.quotedName) WHERE \(rows)",
        probe: """
          SELECT 1 FROM \(table.quotedName) WHERE \(rows) AND \
          (\(conditions.joined(separator: " OR "))) LIMIT 1
          """))
  }

  /// The attributes of an entity without a counterpart in the file, including inherited ones.
  private func newAttributes(of current: EntityDescription) -> [AttributeDescription] {
    new.model.properties(of: current.name).filter(\.isStored).compactMap(\.attribute).filter {
      !$0.isDerived && counterparts.property($0.name, of: current.name) == nil
    }
  }

  /// The condition for rows whose value would differ if a new attribute declared the removed one as
  /// its original name; `nil` if its type does not match.
  private func carryingOver(
    _ columns: [[String]: (name: String, leaf: AttributeDescription)],
    to new: AttributeDescription, in current: EntityDescription, _ rows: TableSource.Rows,
    _ table: String
  ) -> String? {
    let paths = new.paths
    guard Set(paths.map(\.path)) == Set(columns.keys) else { return nil }
    let descriptor = mapping?.entity(named: current.name)?.descriptor
    let slot = descriptor?.slot(named: new.name)
    var fallback: AttributeChange.Fallback?
    if let descriptor, let slot {
      fallback = try? self.fallback(new, slot, descriptor, rows, table)
    }
    var different: [String] = []
    var lost: [String] = []
    for (path, leaf) in paths {
      guard let column = columns[path],
        (column.leaf.type == .boolean) == (leaf.type == .boolean),
        column.leaf.type != .transformable || column.leaf.valueClassName == leaf.valueClassName,
        let conversion = ValueConversion(
          column.name.quotedName, from: column.leaf, to: leaf, sql)
      else { return nil }
      let term = fallback?.terms[path]?.sql ?? "NULL"
      different.append(sql.areDifferent(conversion.expression, "(\(term))"))
      if let loss = conversion.loss(of: column.leaf, in: column.name.quotedName) {
        lost.append("(\(loss))")
      }
    }
    let condition = "(\(different.joined(separator: " OR ")))"
    if lost.isEmpty { return condition }
    // An attribute whose type cannot hold all values is not a renamed one.
    let numbers = old.model.entities.filter {
      counterparts.successor(of: $0.name)?.name == current.name
    }.compactMap { old.numbers[$0.name] }
    return """
      \(condition) AND NOT EXISTS (SELECT 1 FROM \(table.quotedName) WHERE \(RowTerms.entity) IN \
      (\(list(numbers))) AND (\(lost.joined(separator: " OR "))))
      """
  }

  func isDeclaredRemoved(_ property: String, of entity: String) -> Bool {
    let declared = mapping?.entity(named: entity)?.descriptor.type.removedProperties
    return declared?.contains(property) ?? false
      || new.model.lineage(of: entity).contains {
        declaredRemovals[$0.name]?.contains(property) ?? false
      }
  }

  /// The class whose declaration of removed properties counts for an entity: the root of its
  /// hierarchy. Subclasses inherit it; one in a subclass alone is not found.
  func declaringClass(of entity: String) -> String {
    new.model.lineage(of: entity).last?.name ?? entity
  }

  // MARK: Links

  /// The entities of the new models, on both sides, between which a relationship continues links.
  private typealias Continuation = (near: Set<String>, far: Set<String>)

  /// The continuations of links, seen from both sides.
  private func continuations() -> [EarlierLinks: [Continuation]] {
    var found: [EarlierLinks: [Continuation]] = [:]
    for entity in new.model.entities {
      for relationship in entity.properties.compactMap(\.relationship)
      where !relationship.isTransient {
        let near = Set(new.model.subtree(of: entity.name).map(\.name))
        let far = Set(new.model.subtree(of: relationship.destination).map(\.name))
        for links in links.earlierLinks(of: relationship, in: entity.name) {
          found[links, default: []].append((near, far))
          found[links.reversed, default: []].append((far, near))
        }
      }
    }
    return found
  }

  /// An entity of the file whose rows continue.
  private struct Remaining {
    let current: EntityDescription
    /// Its number in the file.
    let number: Int
  }

  /// Notes the links between rows of classes that no relationship continues.
  private mutating func noteLinks(
    _ links: EarlierLinks, of relationship: RelationshipDescription,
    declaredBy entity: EntityDescription, _ continuations: [Continuation]
  ) {
    // A join table keeps all its pairs, unless they are divided.
    if !continuations.isEmpty, links.joinTable(in: old) != nil, !dividedLinks.contains(links) {
      return
    }
    // If one entity is removed, its rows are reported instead.
    func remaining(_ name: String) -> [Remaining] {
      old.model.subtree(of: name).compactMap { stored in
        guard let current = counterparts.successor(of: stored.name),
          let number = old.numbers[stored.name]
        else { return nil }
        return Remaining(current: current, number: number)
      }
    }
    let far = remaining(relationship.destination)
    var lost: [[Int]: (near: [Remaining], far: [Remaining])] = [:]
    for entity in remaining(entity.name) {
      let far = far.filter { far in
        !continuations.contains {
          $0.near.contains(entity.current.name) && $0.far.contains(far.current.name)
        }
      }
      lost[far.map(\.number), default: ([], far)].near.append(entity)
    }
    for (near, far) in lost.values.sorted(by: { $0.near[0].number < $1.near[0].number })
    where !far.isEmpty {
      noteLinks(links, of: relationship, declaredBy: entity, from: near, to: far)
    }
  }

  /// - Parameters:
  ///   - near: The entities on the side of the relationship.
  ///   - far: Those on the other side.
  private mutating func noteLinks(
    _ links: EarlierLinks, of relationship: RelationshipDescription,
    declaredBy entity: EntityDescription, from near: [Remaining], to far: [Remaining]
  ) {
    guard let pairs = links.pairs(in: old), let tables = links.tables(in: old) else { return }
    func keys(_ table: String, _ entities: [Remaining]) -> String {
      """
      SELECT \(RowTerms.key) FROM \(table.quotedName) WHERE \(RowTerms.entity) IN \
      (\(list(entities.map(\.number))))
      """
    }
    func from(_ near: [Remaining], _ far: [Remaining]) -> String {
      """
      FROM \(pairs.table.quotedName) WHERE \(pairs.near) IN (\(keys(tables.near, near))) AND \
      \(pairs.far) IN (\(keys(tables.far, far)))
      """
    }
    losses.append(
      LossCheck(
        entity.name, relationship.name, PropertyDescription.relationship(relationship).typeText,
        count: "SELECT count(*) \(from(near, far))"))
    if mayCarryOver { return }
    let known = checks.count
    for entity in near {
      refuseForgottenName(
        of: relationship, in: entity.current, to: far,
        keys: "SELECT DISTINCT \(pairs.near) \(from([entity], far))")
    }
    // The new relationship may exist on the other side only.
    guard checks.count == known, let inverse = links.far?.relationship,
      !near.contains(where: { isDeclaredRemoved(relationship.name, of: $0.current.name) })
    else { return }
    for entity in far {
      refuseForgottenName(
        of: inverse, in: entity.current, to: near,
        keys: "SELECT DISTINCT \(pairs.far) \(from(near, [entity]))")
    }
  }

  private mutating func refuseForgottenName(
    of relationship: RelationshipDescription, in current: EntityDescription, to far: [Remaining],
    keys: String
  ) {
    if isDeclaredRemoved(relationship.name, of: current.name) { return }
    let new = newRelationships(of: current, replacing: relationship, to: far)
    guard let first = new.first else { return }
    checks.append(
      ChangeCheck(
        current.name, relationship.name,
        from: PropertyDescription.relationship(relationship).typeText, to: "removed",
        reason:
          "have links that \(new.count == 1 ? "the new relationship" : "a new relationship") could "
          + "hold (\(new.map(\.name).joined(separator: ", ")))",
        advice: "If a new relationship is the renamed \(relationship.name), declare "
          + "@Relationship(originalName: \"\(relationship.name)\") on it, for example on \(first.name). "
          + "To delete the links, declare static let removedProperties: Set<String> = "
          + "[\"\(relationship.name)\"] in the class \(declaringClass(of: current.name)).",
        .declaration, keys: keys))
  }

  /// The relationships of an entity that have no counterpart in the file, and that could hold links
  /// of a removed one to some of the entities on the other side.
  private func newRelationships(
    of current: EntityDescription, replacing removed: RelationshipDescription, to far: [Remaining]
  ) -> [RelationshipDescription] {
    guard let destination = counterparts.successor(of: removed.destination) else { return [] }
    let destinations = Set(new.model.subtree(of: destination.name).map(\.name)).intersection(
      far.flatMap { new.model.lineage(of: $0.current.name).map(\.name) })
    return new.model.lineage(of: current.name).flatMap { owner in
      owner.properties.compactMap(\.relationship).filter {
        !$0.isTransient && $0.isToMany == removed.isToMany && destinations.contains($0.destination)
          && links.earlierLinks(of: $0, in: owner.name).isEmpty
      }
    }
  }

  // MARK: Rows

  /// Reports rows that are deleted with their entity, or that no fetch of the models would find.
  private mutating func noteRows(of entity: EntityDescription) {
    guard let number = old.numbers[entity.name] else { return }
    let table = old.table(of: entity.name)
    let condition = "\(RowTerms.entity) = \(number)"
    if let kept = counterparts.successor(of: entity.name) {
      refuseInvisibleRows(of: kept, table, condition)
      return
    }
    losses.append(LossCheck(entity.name, nil, "a model", table: table, condition: condition))
    if mayCarryOver { return }
    guard let similar = new.model.entities.first(where: { isLike(entity, $0) }) else { return }
    checks.append(
      ChangeCheck(
        entity.name, nil, from: "a model", to: "removed",
        reason: "would be deleted, and the new model \(similar.name) has the same properties",
        advice: "If \(similar.name) is the renamed \(entity.name), declare "
          + "@Model(originalName: \"\(entity.name)\") on it. If the rows are not needed, delete them in "
          + "willMigrate of a custom stage.",
        .before, table: table, condition: condition))
  }

  /// A subclass that is not in the models stays with its rows in the table of its superclass, where
  /// no fetch finds them and nothing deletes them.
  private mutating func refuseInvisibleRows(
    of kept: EntityDescription, _ table: String, _ condition: String
  ) {
    guard let mapping, mapping.entity(named: kept.name) == nil,
      let superclass = new.model.lineage(of: kept.name).dropFirst()
        .first(where: { mapping.entity(named: $0.name) != nil })
    else { return }
    checks.append(
      ChangeCheck(
        kept.name, nil, from: "a subclass of \(superclass.name)", to: "not in the models",
        reason: "would not be in the result of any fetch or relationship",
        advice:
          "Add the class to the schema. If a class is the renamed \(kept.name), declare "
          + "@Model(originalName: \"\(kept.name)\") on it. A migration plan whose earlier version lists "
          + "\(kept.name) deletes the rows; willMigrate of its stage can copy the values that you need.",
        .before, table: table, condition: condition))
  }

  /// Whether a new entity has at least half of the properties of a removed one, with equal types.
  private func isLike(_ removed: EntityDescription, _ current: EntityDescription) -> Bool {
    guard counterparts.entity(current.name) == nil else { return false }
    let stored = old.model.properties(of: removed.name).filter(\.isStored)
    let equal = stored.filter { property in
      let found = new.model.property(property.name, of: current.name)?.property
      switch (property, found) {
      case (.attribute(let earlier), .attribute(let now)?): return earlier.type == now.type
      case (.relationship(let earlier), .relationship(let now)?):
        return earlier.isToMany == now.isToMany
      default: return false
      }
    }
    return !equal.isEmpty && equal.count * 2 >= stored.count
  }

  private func list(_ numbers: [Int]) -> String {
    numbers.sorted().map(String.init).joined(separator: ", ")
  }
}
