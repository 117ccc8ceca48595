import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat
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
    let creation = PostgresCreation(
      model: mapping.layout.model, numbers: mapping.layout.numbers,
      definitions: mapping.creationStatements)
    try creation.create(connection)
    let metadata = try connection.prepare("INSERT INTO \"Z_METADATA\" VALUES (1, $1, NULL)")
    try metadata.bind(.text(UUID().uuidString))
    try metadata.run()
    try StoreCreation(mapping, version: version)
      .describe(connection, .postgreSQL, replacing: Data())
  }
}
