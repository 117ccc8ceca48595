import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat

/// The indexes of changed tables: those that the changed store lacks or defines differently, and those
/// that would follow a renamed table or column, are dropped before the tables change. Missing ones are
/// created afterwards.
extension SchemaChange {
  /// R-trees are created again.
  func dropTrees(_ session: any SQLSession) throws {
    guard stored.dialect == .sqlite else { return }
    let trees = try session.texts(
      "SELECT name FROM sqlite_schema WHERE name LIKE 'Z\\_RT\\_%' ESCAPE '\\' AND sql LIKE 'CREATE VIRTUAL%'"
    )
    for tree in trees {
      let triggers = try session.texts(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND substr(name, 1, \(tree.unicodeScalars.count + 1)) = \((tree + "_").quotedText)"
      )
      for trigger in triggers { try session.execute("DROP TRIGGER \(trigger.quotedName)") }
      try session.execute("DROP TABLE \(tree.quotedName)")
    }
  }

  private var expectedIndexes: [String: CreateIndex] {
    let created =
      new.indexStatements(for: stored.dialect)
      + (target.mapping?.tables ?? []).flatMap(\.indexes)
    return Dictionary(created.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
  }

  /// The names of the indexes that the models before and after the change declare.
  var modelIndexes: Set<String> {
    Set(old.indexStatements(for: stored.dialect).map(\.name)).union(expectedIndexes.keys)
  }

  /// Drops indexes that the changed file lacks or defines differently, or that would be on another
  /// table or column. Indexes of other programs stay.
  func dropIndexes(_ session: any SQLSession) throws {
    let expected = expectedIndexes
    let known = modelIndexes
    let tables = Set(oldTables)
    let renamed = renamedColumns
    for index in try StoredIndex.all(session, stored.dialect) where tables.contains(index.table) {
      let isOurs = known.contains(index.name) || isOfFramework(index.name, on: index.table)
      let stays =
        expected[index.name].map { expected in
          index.isValid && index.table == expected.table
            && index.definition == StoredIndex.definition(of: expected, in: stored.dialect)
            && renamed[index.table].map { $0.isDisjoint(with: expected.columns.map(\.name)) }
              ?? true
        } ?? false
      if isOurs, options.keepsOldTables || !stays {
        try session.execute("DROP INDEX \(index.name.quotedName)")
      }
    }
  }

  /// The columns of the file that get another name, by table; all if the table does. Databases let
  /// indexes follow them, but an index keeps its name, which may be that of another one then.
  private var renamedColumns: [String: Set<String>] {
    var found: [String: Set<String>] = [:]
    for change in plan.tables {
      guard case .altered(let renamed, _, _) = change.kind, let source = change.sources.first
      else { continue }
      let isRenamed = source.table != change.table.name
      found[source.table] =
        isRenamed
        ? Set((stored.columns[source.table] ?? [:]).keys) : Set(renamed.map(\.from))
    }
    for join in plan.joins {
      guard case .renamed(let earlier) = join.kind, !join.isEmpty else { continue }
      found[earlier.name] = Set(earlier.columns)
    }
    return found
  }

  /// Whether Apple's framework uses such a name: `Z_Trip_byName` for an index of the model, which
  /// an older version of the model may have left, or `ZTRIP_ZNAME_INDEX` for an indexed attribute.
  func isOfFramework(_ name: String, on table: String) -> Bool {
    let entities = old.model.entities.map(\.name) + new.model.entities.map(\.name)
    // Spatial indexes of a server are made again when the store is opened.
    if entities.contains(where: { name.hasPrefix("Z_\($0)_") || name.hasPrefix("Z_RT_\($0)_") }) {
      return true
    }
    return (stored.columns[table] ?? [:]).keys.contains { name == "\(table)_\($0)_INDEX" }
  }

  func createIndexes(_ session: any SQLSession) throws {
    // Creating the model's own indexes reports an error for rows that violate a constraint.
    if let mapping = target.mapping {
      let indexes = StoreIndexes(mapping: mapping)
      if let connection = session as? Connection {
        _ = try indexes.complete(connection)
      } else {
        let expected = expectedIndexes
        for index in try StoredIndex.all(session, stored.dialect)
        where !index.isValid && expected[index.name] != nil {
          try session.execute("DROP INDEX \(index.name.quotedName)")
        }
        let present = Set(try StoredIndex.all(session, stored.dialect).map(\.name))
        for index in mapping.tables.flatMap(\.indexes) where !present.contains(index.name) {
          try indexes.create(index, session, stored.dialect)
        }
      }
    }
    let present = Set(try StoredIndex.names(session, stored.dialect))
    for index in new.indexStatements(for: stored.dialect) where !present.contains(index.name) {
      if let connection = session as? Connection, index.isUnique,
        try connection.keepsUnique(Set(index.columns.map(\.name)), in: index.table)
      {
        continue
      }
      try session.execute(index.rendered(in: stored.dialect).sql)
    }
  }
}

/// An index of a table, as the database lists it.
struct StoredIndex {
  let name: String
  let table: String
  /// A text that is equal for equal definitions.
  let definition: String
  /// Whether it has all rows; false after a `CREATE INDEX CONCURRENTLY` that failed.
  let isValid: Bool

  /// The indexes that statements have created, without those of primary keys.
  static func all(_ session: any SQLSession, _ dialect: SQLDialect) throws -> [StoredIndex] {
    try session.statement(listing(dialect)).values(.none).compactMap { row in
      guard row.count == 4, case .text(let name) = row[0], case .text(let table) = row[1],
        case .text(let definition) = row[2], case .integer(let isValid) = row[3]
      else { return nil }
      return StoredIndex(name: name, table: table, definition: definition, isValid: isValid != 0)
    }
  }

  /// The names of all indexes.
  static func names(_ session: any SQLSession, _ dialect: SQLDialect) throws -> [String] {
    switch dialect {
    case .sqlite: try session.texts("SELECT name FROM sqlite_schema WHERE type = 'index'")
    case .postgreSQL: try all(session, dialect).map(\.name)
    }
  }

  private static func listing(_ dialect: SQLDialect) -> String {
    switch dialect {
    case .sqlite:
      "SELECT name, tbl_name, sql, 1 FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
    case .postgreSQL:
      // The server changes the text of a definition, so its parts are listed. A backslash would depend on
      // its setting `standard_conforming_strings`.
      """
      SELECT i.relname::text, t.relname::text, \
      CASE WHEN x.indisunique THEN 'unique' ELSE '' END || (SELECT string_agg(chr(31) || \
      coalesce(a.attname::text, 'NFC ' || \
      substring(pg_get_indexdef(i.oid, k.number::int, true) FROM \
      'ELSE NORMALIZE[(]"(.*)", NFC[)][[:space:]]+END'), '?') \
      || CASE WHEN x.indoption[(k.number - 1)::int] & 1 = 1 THEN ' DESC' ELSE '' END \
      || CASE WHEN x.indoption[(k.number - 1)::int] & 2 = 2 THEN ' NULLS FIRST' ELSE '' END, \
      '' ORDER BY k.number) FROM unnest(x.indkey::int2[]) WITH ORDINALITY AS k (attribute, number) \
      LEFT JOIN pg_attribute AS a \
      ON a.attrelid = t.oid AND a.attnum = k.attribute AND k.attribute <> 0), \
      x.indisvalid FROM pg_index AS x JOIN pg_class AS i ON i.oid = x.indexrelid \
      JOIN pg_class AS t ON t.oid = x.indrelid JOIN pg_namespace AS s ON s.oid = t.relnamespace \
      WHERE s.nspname = current_schema() AND NOT x.indisprimary AND x.indpred IS NULL
      """
    }
  }

  /// The text for an index that a statement creates.
  static func definition(of index: CreateIndex, in dialect: SQLDialect) -> String {
    switch dialect {
    case .sqlite: index.rendered(in: dialect).sql
    case .postgreSQL:
      (index.isUnique ? "unique" : "")
        + index.columns.map {
          "\u{1F}" + ($0.isComposed ? "NFC " : "") + $0.name
            + ($0.direction == .descending ? " DESC" : " NULLS FIRST")
        }.joined()
    }
  }
}
