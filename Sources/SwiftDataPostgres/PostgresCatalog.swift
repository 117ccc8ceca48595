import Foundation
package import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLSyntax
package import SwiftData

/// Reads the description of a store from the current schema of a database. The caller makes sure that
/// all statements see one state.
package enum PostgresCatalog {
  /// - Returns: `nil` if the schema has no store.
  package static func read(_ connection: PostgresConnection) throws -> StoredSchema? {
    let columns = try columns(connection)
    guard columns["Z_METADATA"] != nil, columns["Z_PRIMARYKEY"] != nil else { return nil }
    let metadata = try connection.prepare("SELECT \"Z_UUID\", \"Z_PLIST\" FROM \"Z_METADATA\"")
      .values().first
    guard case .text(let identifier)? = metadata?.first else { return nil }
    return StoredSchema(
      dialect: .postgreSQL, identifier: identifier, metadata: data(metadata?.last),
      entities: try entities(connection), columns: columns, objects: Set(columns.keys),
      modelCache: columns["Z_MODELCACHE"] == nil
        ? nil
        : try connection.prepare("SELECT \"Z_CONTENT\" FROM \"Z_MODELCACHE\"").values().first
          .map { data($0.first) })
  }

  /// Selects the owner of the store, or of the schema or database in which it can be made; no row if this is the
  /// user.
  static let owner = """
    SELECT pg_get_userbyid(owner) FROM (SELECT coalesce((SELECT relowner FROM pg_class \
    WHERE relnamespace = n.oid AND relname = 'Z_METADATA'), \
    CASE WHEN pg_get_userbyid(nspowner) = 'pg_database_owner' \
    THEN (SELECT datdba FROM pg_database WHERE datname = current_database()) \
    ELSE nspowner END) AS owner FROM pg_namespace AS n WHERE nspname = current_schema()) AS o \
    WHERE NOT pg_has_role(owner, 'MEMBER')
    """

  /// Whether the current schema has the table. Another schema of the search path may have one of this name.
  static func hasTable(_ name: String, _ connection: PostgresConnection) throws -> Bool {
    let find = try connection.prepare(
      """
      SELECT count(*) FROM pg_class WHERE relname = $1 \
      AND relnamespace = to_regnamespace(quote_ident(current_schema()))
      """)
    try find.bind(.text(name))
    return try find.integer() == 1
  }

  private static func data(_ value: PostgresValue?) -> Data {
    if case .bytes(let data)? = value { data } else { Data() }
  }

  private static func entities(_ connection: PostgresConnection) throws -> [StoredSchema.Entity] {
    try connection.prepare(
      "SELECT \"Z_NAME\", \"Z_ENT\", \"Z_SUPER\", \"Z_MAX\" FROM \"Z_PRIMARYKEY\" ORDER BY \"Z_ENT\""
    ).rows { rows in
      var entities: [StoredSchema.Entity] = []
      while try rows.next() {
        entities.append(
          StoredSchema.Entity(
            name: try rows.text(0) ?? "", number: Int(try rows.integer(1) ?? 0),
            superNumber: Int(try rows.integer(2) ?? 0), lastKey: try rows.integer(3) ?? 0))
      }
      return entities
    }
  }

  /// The types of the columns, by table and name.
  private static func columns(
    _ connection: PostgresConnection
  ) throws -> [String: [String: String]] {
    try connection.prepare(
      """
      SELECT c.relname::text, a.attname::text, replace(upper(format_type(a.atttypid, NULL)), '"', '') \
      FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid \
      JOIN pg_namespace AS n ON n.oid = c.relnamespace \
      WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND a.attnum > 0 \
      AND NOT a.attisdropped
      """
    ).rows { rows in
      var columns: [String: [String: String]] = [:]
      while try rows.next() {
        columns[try rows.text(0) ?? "", default: [:]][try rows.text(1) ?? ""] = try rows.text(2)
      }
      return columns
    }
  }
}
