import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// The parts of tables that no model describes: columns, indexes, triggers and the like that other
/// programs or administrators have added.
///
/// Tables that are altered keep them. They end with a table that is dropped, also if a new one takes
/// its name, so they are losses as values of removed properties are.
extension SchemaChange {
  /// - Returns: Foreign columns with values, rows of unknown entities, then foreign objects.
  func foreignLosses(_ session: any SQLSession) throws -> [MigrationLoss] {
    if droppedTables.isEmpty { return [] }
    return try (foreignColumns + foreignRows).compactMap { try $0.loss(session) }
      + foreignObjects(session)
  }

  /// Rows whose number is none of an entity of the store.
  private var foreignRows: [LossCheck] {
    let numbers = old.numbers.values.sorted().map(String.init).joined(separator: ", ")
    return old.tables.filter { droppedTables.contains($0.name) }.map { table in
      LossCheck(
        table.root, nil, "a model", table: table.name,
        condition: "\(RowTerms.entity) IS NULL OR \(RowTerms.entity) NOT IN (\(numbers))")
    }
  }

  private var foreignColumns: [LossCheck] {
    var known = Dictionary(
      uniqueKeysWithValues: old.joinTables.map { ($0.name, Set($0.columns)) })
    for table in old.tables {
      known[table.name] = Set(table.columns.map(\.name) + RowColumns.all)
    }
    return droppedTables.flatMap { table in
      (stored.columns[table] ?? [:]).filter { known[table]?.contains($0.key) != true }
        .sorted { $0.key < $1.key }.map { name, type in
          LossCheck(
            entity(ofTable: table), nil, type,
            count: "SELECT count(\(name.quotedName)) FROM \(table.quotedName)",
            object: "column \(name) of \(table)")
        }
    }
  }

  private func foreignObjects(_ session: any SQLSession) throws -> [MigrationLoss] {
    let (tables, known) = (Set(droppedTables), modelIndexes)
    return try ForeignObject.all(session, stored.dialect).filter { object in
      let isOurs =
        object.kind == ForeignObject.index
        && (known.contains(object.name) || isOfFramework(object.name, on: object.table))
      return tables.contains(object.table) && !isOurs
    }.map { object in
      MigrationLoss(
        entity: entity(ofTable: object.table), property: nil, type: object.kind, valueCount: 0,
        object: object.description)
    }
  }

  /// The entity of a table; for pairs one whose relationship they belong to.
  private func entity(ofTable table: String) -> String {
    let owner = old.model.entities.first { entity in
      entity.properties.contains {
        old.joinSide($0.name, of: entity.name)?.table.name == table
      }
    }
    return old.tables.first { $0.name == table }?.root ?? owner?.name ?? table
  }
}

/// An object that the database keeps for a table and drops together with it.
private struct ForeignObject: CustomStringConvertible {
  let table: String
  /// What it is, as the first word of a clause: `trigger`.
  let kind: String
  /// Empty for what a table has only once.
  let name: String

  /// The kind of indexes, of which some belong to the models.
  static let index = "index"

  var description: String {
    [kind, name, "on", table].filter { !$0.isEmpty }.joined(separator: " ")
  }

  static func all(_ session: any SQLSession, _ dialect: SQLDialect) throws -> [ForeignObject] {
    try session.statement(listing(dialect)).values(.none).compactMap { row in
      guard row.count == 3, case .text(let table) = row[0], case .text(let kind) = row[1],
        case .text(let name) = row[2]
      else { return nil }
      return ForeignObject(table: table, kind: kind, name: name)
    }
  }

  private static func listing(_ dialect: SQLDialect) -> String {
    switch dialect {
    case .sqlite:
      // The triggers of Apple's framework and of R-trees begin like this.
      """
      SELECT tbl_name, type, name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL \
      OR type = 'trigger' AND name NOT GLOB 'Z_*' ORDER BY 1, 2, 3
      """
    case .postgreSQL:
      """
      SELECT c.relname::text, o.kind, o.name::text FROM pg_class AS c JOIN ( \
      SELECT tgrelid AS owner, 'trigger' AS kind, tgname AS name FROM pg_trigger \
      WHERE NOT tgisinternal \
      UNION ALL SELECT conrelid, CASE contype WHEN 'c' THEN 'check constraint' \
      ELSE 'foreign key' END, conname FROM pg_constraint WHERE contype IN ('c', 'f') \
      UNION ALL SELECT x.indrelid, 'index', i.relname FROM pg_index AS x \
      JOIN pg_class AS i ON i.oid = x.indexrelid WHERE NOT x.indisprimary \
      UNION ALL SELECT stxrelid, 'statistics object', stxname FROM pg_statistic_ext \
      UNION ALL SELECT ev_class, 'rule', rulename FROM pg_rewrite \
      UNION ALL SELECT polrelid, 'policy', polname FROM pg_policy \
      UNION ALL SELECT oid, 'row-level security', '' FROM pg_class \
      WHERE relrowsecurity OR relforcerowsecurity \
      UNION ALL SELECT m.prrelid, 'publication', p.pubname FROM pg_publication_rel AS m \
      JOIN pg_publication AS p ON p.oid = m.prpubid) AS o ON o.owner = c.oid \
      WHERE c.relkind IN ('r', 'p') \
      AND c.relnamespace = to_regnamespace(quote_ident(current_schema())) ORDER BY 1, 2, 3
      """
    }
  }
}
