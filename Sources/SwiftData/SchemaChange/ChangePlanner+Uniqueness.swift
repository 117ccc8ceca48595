import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// The rows that a new uniqueness does not allow.
extension ChangePlanner {
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
          return "\(sql.typed(change.columns[source][place].sql, as: type)) AS U\(index)"
        }
        return """
          SELECT \(RowTerms.key) AS K, \(terms.joined(separator: ", ")) \
          FROM \(change.sources[source].table.quotedName) WHERE \(change.sources[source].condition)
          """
      }.joined(separator: " UNION ALL ")
      let columns = places.indices.map { "U\($0)" }.joined(separator: ", ")
      let present = places.indices.map { "U\($0) IS NOT NULL" }.joined(separator: " AND ")
      checks.append(
        ChangeCheck(
          entity.name, constraint.joined(separator: ", "), from: "not unique", to: "unique",
          reason: "repeat the values of another row",
          advice:
            "Give each row a different value, or delete the duplicates, in willMigrate of a custom "
            + "stage.", .before,
          keys: """
            SELECT K FROM (SELECT K, row_number() OVER (PARTITION BY \(columns) ORDER BY K) AS N \
            FROM (\(rows)) AS R WHERE \(present)) AS M WHERE N > 1 ORDER BY K
            """,
          probe: """
            SELECT 1 FROM (\(rows)) AS R WHERE \(present) GROUP BY \(columns) HAVING count(*) > 1 LIMIT 1
            """))
    }
  }
}
