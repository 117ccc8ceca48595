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

  func create(_ connection: PostgresConnection) throws {
    let mapping = SchemaMapping(
      models, file: FileEntities(stored: [], longestName: SQLDialect.postgreSQL.longestName))
    let creation = PostgresCreation(
      model: mapping.layout.model, numbers: mapping.layout.numbers,
      definitions: mapping.creationStatements, history: HistoryTables(for: mapping.layout.model))
    try creation.create(connection)
    let metadata = try connection.prepare("INSERT INTO \"Z_METADATA\" VALUES (1, $1, NULL)")
    try metadata.bind(.text(UUID().uuidString))
    try metadata.run()
    try StoreCreation(mapping, version: version)
      .describe(connection, .postgreSQL, replacing: Data())
  }
}
