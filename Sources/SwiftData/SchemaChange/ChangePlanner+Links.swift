import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

// The sources of columns with keys of related rows, and of tables of pairs.

extension ChangePlanner {
  mutating func key(
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
      between: (owner, relationship.destination),
      only: toleratesLosses ? relationship.destination : nil, owner, relationship.name)
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
        // Code before the change can set only what the old class has.
        let isNew = !hadLinks(earlier, rows)
        checks.append(
          ChangeCheck(
            rows.current.name, relationship.name, from: isNew ? "nothing" : "optional",
            to: PropertyDescription.relationship(relationship).typeText,
            reason: "have no model for it",
            advice: "Make the relationship optional, or "
              + (isNew
                ? "set it in a stage .transform." : "set it in willMigrate of a custom stage."),
            isNew ? .transformation : .before, table: source,
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
    let losesModels = earlier.contains { link in
      guard let far = link.tables(in: old)?.far else { return false }
      return links.sources.removed[far] != nil
        || links.disallowedRows(link, of: destination) != nil
    }
    return !hadLinks(earlier, rows) || losesModels
  }

  /// Whether the old class of some rows had one of the earlier relationships.
  private func hadLinks(_ earlier: [EarlierLinks], _ rows: TableSource.Rows) -> Bool {
    earlier.contains { link in
      guard let near = link.near else { return false }
      return old.model.subtree(of: near.entity).contains { $0.name == rows.stored.name }
    }
  }

  /// The source of the owner's key of a to-many relationship without an inverse, in its members'
  /// rows.
  mutating func ownerKey(
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
      // `refuseCrossedLinks` reports those of two relationships that become inverses.
      for term in terms.dropFirst() where !areCrossed(property, of: entity) {
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
    noteSeveralMembers(earlier, selections, entity, property)
    linkTables.append(
      LinkTable(
        name: "LINKS_\(linkTables.count)", selections: selections, table: table, column: column))
    return .links(linkTables.count - 1)
  }

  /// Reports rows that several links would give a single related model.
  /// - Parameter selections: Those of the links' pairs.
  private mutating func noteSeveralMembers(
    _ earlier: [EarlierLinks], _ selections: [String], _ entity: String, _ property: String
  ) {
    // `refuseCrossedLinks` reports links of two relationships that become inverses.
    let sets =
      areCrossed(property, of: entity) ? selections : [selections.joined(separator: " UNION ")]
    let several = sets.map {
      "SELECT A FROM (\($0)) AS L GROUP BY A HAVING count(DISTINCT B) > 1"
    }.joined(separator: " UNION ")
    guard let relationship = new.model[entity]?[property]?.relationship else { return }
    if relationship.isToMany {
      let member = relationship.destination
      checks.append(
        ChangeCheck(
          entity, property, from: "shares its models", to: "a list without an inverse",
          reason: "of \(member) would be in several lists, and can be in only one",
          advice:
            "Declare an inverse that is a list: @Relationship(inverse: \\\(member).…) makes it a "
            + "many-to-many relationship.", .declaration, keys: several,
          storedEntity: counterparts.entity(member)?.name))
      return
    }
    guard sets.count == 1, let inverse = relationship.inverse,
      arePaired(earlier, property, of: entity)
    else {
      return note(
        entity, property, from: "a list", to: "one model", "have several members", several)
    }
    checks.append(
      ChangeCheck(
        entity, property, from: "another relationship",
        to: "the inverse of \(relationship.destination).\(inverse)",
        reason: "would have several models, because the links of both become one",
        advice: "Keep the former inverses, so that the two do not become each other's. If they "
          + "are to be inverses, give both the same links in willMigrate of a custom stage.",
        .declaration, keys: several))
  }

  private func areCrossed(_ property: String, of entity: String) -> Bool {
    guard let relationship = new.model[entity]?[property]?.relationship else { return false }
    return links.crossedLinks(of: relationship, in: entity) != nil
  }

  /// Whether a relationship continues links of its own, and its inverse others.
  private func arePaired(
    _ earlier: [EarlierLinks], _ property: String, of entity: String
  ) -> Bool {
    let own = earlier.filter { link in
      guard let near = link.near else { return false }
      return new.model.subtree(of: entity).contains {
        !near.relationship.isToMany
          && counterparts.property(property, of: $0.name)?.property.name == near.relationship.name
      }
    }
    return !own.isEmpty && own.count < earlier.count
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

  func joinChanges() -> [JoinChange] {
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
  func findDividedLinks() -> Set<EarlierLinks> {
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
}
