import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat
import SwiftData

/// The indexes that the models declare. One that is added to the models is no other version of them, so no
/// migration creates it; the next opening does. Migrations drop spatial indexes of tables that they
/// change.
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
    let usable = Set(try stored(connection, "i.indisvalid OR \(PostgresIndexes.isBeingBuilt)"))
    return all.filter { !usable.contains($0.name) }
  }

  /// Of an index that another role builds, the server only shows that there is one.
  private static let isBeingBuilt = """
    EXISTS (SELECT FROM pg_stat_progress_create_index AS p WHERE p.index_relid = i.indexrelid \
    OR p.index_relid IS NULL AND p.datname = current_database())
    """

  /// The names of the indexes of the schema.
  private func stored(
    _ connection: PostgresConnection, _ condition: String
  ) throws -> [String] {
    try connection.texts(
      """
      SELECT c.relname::text FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid \
      JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() \
      AND (\(condition))
      """)
  }

  func createMissing(_ connection: PostgresConnection) throws {
    let missing = try missing(connection)
    if missing.isEmpty { return }
    // `CREATE INDEX CONCURRENTLY` that fails leaves an index that no fetch uses.
    let invalid = Set(try stored(connection, "NOT i.indisvalid"))
    for index in missing {
      if invalid.contains(index.name) {
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
