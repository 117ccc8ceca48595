import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// The rows that a new uniqueness does not allow.
extension ChangePlanner {
  /// The members of a unique constraint: the name of a property, and the path of a part.
  private static func paths(of constraint: [String]) -> [[String]] {
    constraint.map { $0.split(separator: ".").map(String.init) }
  }

  /// The unique constraints with an attribute that concern some rows. Those of a subclass do if they
  /// contain inherited properties only: the index is one of the whole table.
  func uniqueConstraints(
    with attribute: AttributeDescription, declaredBy owner: String, _ rows: TableSource.Rows
  ) -> [[[String]]] {
    new.model.subtree(of: owner).flatMap(\.uniqueConstraints).map(ChangePlanner.paths).filter {
      $0.contains { $0.first == attribute.name }
        && $0.allSatisfy { new.model.property($0[0], of: rows.current.name) != nil }
    }
  }

  /// Whether the file has none of some members of a constraint.
  private func isNew(_ paths: [[String]], in rows: TableSource.Rows) -> Bool {
    paths.allSatisfy { path in
      guard let stored = counterparts.property(path[0], of: rows.current.name) else { return true }
      guard path.count > 1, let attribute = stored.property.attribute else { return false }
      return !attribute.paths.contains { $0.path.starts(with: path.dropFirst()) }
    }
  }

  /// The constraints of which no other member tells rows apart: the file has no values of the others, and
  /// their declared defaults are the same in each row.
  func undistinguished(
    _ constraints: [[[String]]], by attribute: AttributeDescription, _ rows: TableSource.Rows
  ) throws -> [[[String]]] {
    try constraints.filter { constraint in
      let others = constraint.filter { $0.first != attribute.name }
      return try isNew(others, in: rows)
        && !others.contains { try hasEvaluatedDefault($0[0], of: rows.current.name) }
    }
  }

  private func hasEvaluatedDefault(_ property: String, of entity: String) throws -> Bool {
    guard let descriptor = mapping?.entity(named: entity)?.descriptor,
      let slot = descriptor.slot(named: property),
      case .attribute = descriptor.properties[slot].form,
      case .evaluated? = try functions.defaults.value(of: slot, descriptor)
    else { return false }
    return true
  }

  /// A declared default whose unique values only a single row gets, where it would be the same in each row:
  /// the code of a transformation sets others.
  /// - Parameter constraints: Those of which no other member tells rows apart.
  func distinct(
    _ fallback: AttributeChange.Fallback, _ attribute: AttributeDescription,
    declaredBy owner: String, _ constraints: [[[String]]], _ rows: TableSource.Rows
  ) -> AttributeChange.Fallback {
    let paths = constraints.joined().filter { $0.first == attribute.name }.map { $0.dropFirst() }
    let shared = fallback.terms.filter { path, term in
      guard case .constant = term, term != .null else { return false }
      return paths.contains { path.starts(with: $0) }
    }
    if shared.isEmpty { return fallback }
    let isSingle = isSingle(attribute, declaredBy: owner, rows)
    let limited = shared.mapValues { term in
      ColumnSource.expression("CASE WHEN \(isSingle) THEN \(term.sql) END")
    }
    return AttributeChange.Fallback(
      terms: fallback.terms.merging(limited) { $1 }, limited: Set(shared.keys))
  }

  /// The condition that no other row gets the declared default of an attribute.
  private func isSingle(
    _ attribute: AttributeDescription, declaredBy owner: String, _ rows: TableSource.Rows
  ) -> String {
    func condition(_ rows: TableSource.Rows) -> String {
      guard let stored = counterparts.property(attribute.name, of: rows.current.name),
        stored.property.attribute?.isOptional == true, !attribute.isOptional
      else { return ChangedValues.all }
      return earlier(stored).isNil
    }
    let selections = (links.sources.byTable[new.table(of: owner)] ?? []).flatMap { source in
      source.rows.filter { rows in
        new.model.lineage(of: rows.current.name).contains { $0.name == owner }
      }.map { rows in
        "SELECT 1 FROM \(source.table.quotedName) WHERE \(rows.condition) AND (\(condition(rows)))"
      }
    }
    return """
      (\(condition(rows))) AND (SELECT count(*) FROM (\(selections.joined(separator: " UNION ALL ")) LIMIT 2) \
      AS S) = 1
      """
  }

  mutating func checkUniqueness(of entity: EntityDescription, _ tables: [TableChange]) {
    let stored = counterparts.entity(entity.name)
    let known = Set(
      (stored?.uniqueConstraints ?? []).map { names in
        Set(names.map { counterparts.successor(of: $0, of: stored?.name ?? "") ?? $0 })
      })
    guard let change = tables.first(where: { $0.table.name == new.table(of: entity.name) })
    else { return }
    for constraint in entity.uniqueConstraints where !known.contains(Set(constraint)) {
      let names = constraint.flatMap { new.columnNames(of: $0, in: entity.name) }
      let places = names.compactMap { name in change.table.columns.firstIndex { $0.name == name } }
      let isLinked = change.columns.contains { columns in
        places.contains { if case .links = columns[$0] { true } else { false } }
      }
      if isLinked || change.sources.isEmpty || places.count != names.count { continue }
      // Values that are evaluated for each row are checked when the index is created.
      let isEvaluated = change.columns.contains { columns in
        places.contains { columns[$0].sql.contains(MigrationFunction.declaredValue) }
      }
      if isEvaluated { continue }
      let rows = change.sources.indices.map { source in
        let terms = places.enumerated().map { index, place in
          let type = target.type(of: change.table.columns[place], in: change.table)
          // Values in files move into their rows, and are only read here.
          let value = change.columns[source][place].sql
            .replacing(MigrationFunction.moveIn, with: MigrationFunction.content)
          return "\(sql.typed(value, as: type)) AS U\(index)"
        }
        return """
          SELECT \(source) AS S, \(RowTerms.key) AS K, \(terms.joined(separator: ", ")) \
          FROM \(change.sources[source].table.quotedName) WHERE \(change.sources[source].condition)
          """
      }.joined(separator: " UNION ALL ")
      let paths = ChangePlanner.paths(of: constraint)
      let hasOnlyNew = change.sources.flatMap(\.rows).allSatisfy { isNew(paths, in: $0) }
      let columns = places.indices.map { "U\($0)" }.joined(separator: ", ")
      let present = places.indices.map { "U\($0) IS NOT NULL" }.joined(separator: " AND ")
      // Rows of several tables have the same keys, and are those of different entities.
      let origins = change.sources.map { origin(of: $0, entity.name) }
      for (source, origin) in origins.enumerated() {
        let isOnly = origins.count == 1
        checks.append(
          ChangeCheck(
            entity.name, constraint.joined(separator: ", "),
            from: isOnly
              ? "not unique" : "not unique in \(origins.joined(separator: " and ")) together",
            to: "unique",
            reason: (isOnly ? "" : "of \(origin) ") + "repeat the values of another row",
            advice: hasOnlyNew
              ? "Give each row a different value in a stage .transform, or declare a default value that "
                + "differs in each row, such as UUID()."
              : "Give each row a different value, or delete the duplicates, in willMigrate of a custom "
                + "stage.", hasOnlyNew ? .transformation : .before,
            keys: """
              SELECT K FROM (SELECT S, K, row_number() OVER (PARTITION BY \(columns) ORDER BY S, K) AS N \
              FROM (\(rows)) AS R WHERE \(present)) AS M WHERE N > 1 AND S = \(source) ORDER BY K
              """,
            probe: """
              SELECT 1 FROM (\(rows)) AS R WHERE \(present) GROUP BY \(columns) HAVING count(*) > 1 LIMIT 1
              """, storedEntity: origin))
      }
    }
  }

  /// The entity of the file that has the rows of a source: that of the changed entity if it has the same
  /// table, otherwise the nearest one with all of them.
  private func origin(of source: TableSource, _ entity: String) -> String {
    if let known = counterparts.entity(entity), old.table(of: known.name) == source.table {
      return known.name
    }
    let lineages = source.rows.map { old.model.lineage(of: $0.stored.name).map(\.name) }
    return lineages.first?.first { name in lineages.allSatisfy { $0.contains(name) } } ?? entity
  }
}

extension ModelDescription {
  /// Whether a unique constraint of an entity, or of a subentity, contains a property or a part of it.
  func isUnique(_ property: String, of entity: String) -> Bool {
    subtree(of: entity).contains { entity in
      entity.uniqueConstraints.joined()
        .contains { $0 == property || $0.hasPrefix(property + ".") }
    }
  }
}
