import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

extension SchemaChange {
  /// Gives primary keys the names that they have in a new store. A table keeps its primary key's
  /// name when it is renamed.
  func renamePrimaryKeys(_ session: any SQLSession) throws {
    guard stored.dialect == .postgreSQL else { return }
    let listed = try session.statement(
      """
      SELECT t.relname::text, c.relname::text FROM pg_class AS c \
      LEFT JOIN pg_index AS x ON x.indexrelid = c.oid AND x.indisprimary \
      LEFT JOIN pg_class AS t ON t.oid = x.indrelid \
      WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) ORDER BY 2
      """
    ).values(.none)
    let tables = Set(new.tables.map(\.name) + new.joinTables.map(\.name))
    var renamed: [(from: String, to: String)] = []
    var taken: Set<String> = []
    for row in listed {
      guard case .text(let name) = row[1] else { continue }
      // Names of tables are short, so that the server does not cut these.
      if case .text(let table) = row[0], tables.contains(table), name != "\(table)_pkey" {
        renamed.append((name, "\(table)_pkey"))
      } else {
        taken.insert(name)
      }
    }
    renamed.removeAll { taken.contains($0.to) }
    // Through unused names, because tables may have exchanged theirs.
    let steps =
      renamed.enumerated().map { ($1.from, "NEW_\($0)_pkey") }
      + renamed.enumerated().map { ("NEW_\($0)_pkey", $1.to) }
    for (from, to) in steps {
      try session.execute("ALTER INDEX \(from.quotedName) RENAME TO \(to.quotedName)")
    }
  }
}
