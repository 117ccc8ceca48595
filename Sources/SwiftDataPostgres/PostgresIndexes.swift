import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat
import SwiftData

/// The indexes that the models declare. One that is added to the models is no other version of them, so no
/// migration creates it; the next opening does. Migrations drop spatial indexes of tables that they
/// change. A unique index of the same name on another table or other columns is replaced: it would allow
/// duplicates, and refuse other values.
struct PostgresIndexes {
  private let mapping: SchemaMapping
  private let profile: PostgresProfile

  init(_ mapping: SchemaMapping, _ profile: PostgresProfile) {
    self.mapping = mapping
    self.profile = profile
  }

  private var all: [CreateIndex] {
    mapping.tables.flatMap(\.indexes)
      + mapping.tables.flatMap(\.spatialIndexes).map { spatial in
        var index = (profile.pointIndexes ? spatial.pointIndex : nil) ?? spatial.ordinaryIndex
        index.name = index.name.shortened(to: SQLDialect.postgreSQL.longestName)
        return index
      }
  }

  /// The names of spatial indexes that fetches search for boxes.
  var searchedTrees: Set<String> {
    profile.pointIndexes
      ? Set(mapping.entities.flatMap(\.spatialIndexes).map(\.name)) : []
  }

  func missing(_ connection: PostgresConnection) throws -> [CreateIndex] {
    let usable = try stored(connection, "i.indisvalid OR \(PostgresIndexes.isBeingBuilt)")
    return all.filter { index in
      guard let found = usable[index.name] else { return true }
      return index.isUnique
        && (found.first != index.table
          || Set(found.dropFirst()) != Set(index.columns.map(\.name)))
    }
  }

  /// Of an index that another role builds, the server only shows that there is one.
  private static let isBeingBuilt = """
    EXISTS (SELECT FROM pg_stat_progress_create_index AS p WHERE p.index_relid = i.indexrelid \
    OR p.index_relid IS NULL AND p.datname = current_database())
    """

  /// The indexes of the schema, by name: of a unique one its table and its columns, of others nothing.
  private func stored(
    _ connection: PostgresConnection, _ condition: String
  ) throws -> [String: [String]] {
    let texts = try connection.texts(
      """
      SELECT c.relname::text || CASE WHEN i.indisunique AND NOT i.indisprimary AND i.indpred IS NULL \
      THEN (SELECT chr(31) || t.relname::text || string_agg(chr(31) || a.attname::text, '') \
      FROM pg_class AS t JOIN pg_attribute AS a ON a.attrelid = t.oid WHERE t.oid = i.indrelid \
      AND a.attnum = ANY((i.indkey::int2[])[0:i.indnkeyatts - 1]) GROUP BY t.relname) ELSE '' END \
      FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid \
      JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() \
      AND (\(condition))
      """)
    return texts.reduce(into: [:]) { found, text in
      let parts = text.split(separator: "\u{1F}").map(String.init)
      if let name = parts.first { found[name] = Array(parts.dropFirst()) }
    }
  }

  func createMissing(_ connection: PostgresConnection) throws {
    let missing = try missing(connection)
    if missing.isEmpty { return }
    // `CREATE INDEX CONCURRENTLY` that fails leaves an index that no fetch uses.
    let present = try stored(connection, "true")
    for index in missing {
      if present[index.name] != nil {
        try connection.execute("DROP INDEX " + PostgresConnection.quoted(index.name))
      }
      try StoreIndexes(mapping: mapping).create(index, connection, .postgreSQL)
    }
  }

  /// Says which indexes a program without the right to change tables does without.
  static func noteMissing(_ indexes: [CreateIndex]) {
    if indexes.isEmpty { return }
    WarningLog.write(
      "The database lacks \(indexes.map(\.name).joined(separator: ", ")), which the models declare. Open it once with "
        + "allowsMigration: true to create them.")
  }
}
