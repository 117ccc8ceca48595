import OpenSwiftDataPostgresEngine

/// The tables of the current schema with the files of their rows. A table that was rewritten has another
/// file.
struct TableFiles {
  private var names: [String: String] = [:]

  init(_ connection: PostgresConnection) throws {
    let found = try connection.prepare(
      """
      SELECT c.oid::bigint::text || ' ' || c.relfilenode::bigint::text, c.relname::text \
      FROM pg_class AS c WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relkind = 'r'
      """
    ).values()
    for row in found {
      if case .text(let file) = row[0], case .text(let name) = row[1] { names[file] = name }
    }
  }

  /// The tables that are new or were rewritten since the others were read, in the order of their names.
  func names(notIn earlier: TableFiles) -> [String] {
    names.filter { earlier.names[$0.key] == nil }.map(\.value).sorted()
  }
}
