import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLSyntax
import SwiftData

/// Creates the tables of a store, with the description of its models. Called by `PostgresOpening`,
/// inside a transaction.
struct PostgresTables {
  let models: DescribedSchema
  /// The version identifier for the description.
  let version: String

  /// Without columns for values of deleted rows, whose types differ in one column.
  static let history = HistoryTables(tombstoneCount: 0)

  /// Refuses what would be lost.
  static func requireSupported(_ schema: Schema) throws {
    for entity in schema.entities {
      for attribute in entity.attributes
      where attribute.options.contains(.preserveValueOnDeletion) {
        throw SwiftDataError.loadIssueModelContainer.with(
          "A PostgreSQL store does not preserve values of deleted models yet. Remove "
            + ".preserveValueOnDeletion.", entity: entity.name, property: attribute.name)
      }
    }
  }

  func create(_ connection: PostgresConnection) throws {
    let mapping = SchemaMapping(
      models, file: FileEntities(stored: [], longestName: SQLDialect.postgreSQL.longestName))
    for statement in mapping.creationStatements {
      try connection.execute(statement.rendered(in: .postgreSQL).sql)
    }
    try connection.execute(
      """
      CREATE TABLE "Z_PRIMARYKEY" ("Z_ENT" BIGINT PRIMARY KEY, "Z_NAME" TEXT COLLATE "C", \
      "Z_SUPER" BIGINT, "Z_MAX" BIGINT);
      CREATE TABLE "Z_METADATA" ("Z_VERSION" BIGINT PRIMARY KEY, "Z_UUID" TEXT COLLATE "C", \
      "Z_PLIST" BYTEA)
      """)
    for statement in PostgresTables.history.creationStatements {
      try connection.execute(statement.rendered(in: .postgreSQL).sql)
    }
    for statement in HistoryTables.deletionStatements {
      try connection.execute(statement.rendered(in: .postgreSQL).sql)
    }
    let insert = try connection.prepare(
      "INSERT INTO \"Z_PRIMARYKEY\" VALUES ($1, $2, $3, 0)")
    for entity in mapping.entities {
      let above = entity.superName.flatMap { mapping.entity(named: $0) }?.number ?? 0
      try insert.bind(.integer(Int64(entity.number)), .text(entity.name), .integer(Int64(above)))
      try insert.run()
    }
    let metadata = try connection.prepare("INSERT INTO \"Z_METADATA\" VALUES (1, $1, NULL)")
    try metadata.bind(.text(UUID().uuidString))
    try metadata.run()
    try StoreCreation(mapping, version: version)
      .describe(connection, .postgreSQL, replacing: Data())
  }
}
