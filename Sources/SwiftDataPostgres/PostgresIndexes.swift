import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLSyntax
import SwiftData

/// The indexes that the models declare and the tables lack. An index that is added to the models is no
/// other version of them, so no migration creates it; the next opening does.
enum PostgresIndexes {
  static func missing(
    _ mapping: SchemaMapping, _ connection: PostgresConnection
  ) throws -> [CreateIndex] {
    let names = Set(
      try connection.prepare(
        """
        SELECT c.relname::text FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid \
        JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = current_schema()
        """
      ).values().compactMap { if case .text(let name)? = $0.first { name } else { nil } })
    return mapping.tables.flatMap(\.indexes).filter { !names.contains($0.name) }
  }

  static func create(_ mapping: SchemaMapping, _ connection: PostgresConnection) throws {
    for index in try missing(mapping, connection) {
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
