import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat
import SwiftData

/// Creates the tables of a store in a database, and describes its model in them. Called inside a
/// transaction, by `PostgresTables` for new stores and by copies.
struct PostgresCreation {
  let model: ModelDescription
  let numbers: [String: Int]
  /// The statements for tables and indexes of the models, all tables first.
  let definitions: [any SQLStatement]
  let history: HistoryTables

  /// The tables of each store besides those of its models.
  static let ownTables =
    ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]
    + HistoryTables.Entity.allCases.map(\.table) + [deletedHistoryTable]

  /// The table that records deletions of history.
  static let deletedHistoryTable = "Z_DELETEDHISTORY"

  /// The table that exists while a copy is incomplete.
  static let copyTable = "Z_COPY"

  /// Whether a table or a sequence with this name belongs to the store itself.
  static func isOwn(_ table: String, _ profile: PostgresProfile) -> Bool {
    ownTables.contains(table) || table == copyTable || PostgresNumbers.isSequence(table)
      || table == StoreLock.table && StoreLock(profile).needsTable
  }

  func create(_ connection: PostgresConnection) throws {
    for statement in definitions {
      try connection.execute(statement.rendered(in: .postgreSQL).sql)
    }
    try connection.execute(
      """
      CREATE TABLE "Z_PRIMARYKEY" ("Z_ENT" BIGINT PRIMARY KEY, "Z_NAME" TEXT COLLATE "C", \
      "Z_SUPER" BIGINT, "Z_MAX" BIGINT);
      CREATE TABLE "Z_METADATA" ("Z_VERSION" BIGINT PRIMARY KEY, "Z_UUID" TEXT COLLATE "C", \
      "Z_PLIST" BYTEA);
      CREATE TABLE "Z_MODELCACHE" ("Z_CONTENT" BYTEA)
      """)
    for statement in history.creationStatements(for: .postgreSQL) + HistoryTables.deletionStatements
    {
      try connection.execute(statement.rendered(in: .postgreSQL).sql)
    }
    let insert = try connection.prepare(
      "INSERT INTO \"Z_PRIMARYKEY\" VALUES ($1, $2, $3, 0)")
    for entity in model.entities {
      let above = entity.superName.flatMap { numbers[$0] } ?? 0
      try insert.bind(
        .integer(Int64(numbers[entity.name] ?? 0)), .text(entity.name), .integer(Int64(above)))
      try insert.run()
    }
  }

  /// Writes the identifier, the dictionary of the model, and the model itself.
  /// - Parameter identifier: `nil` until a copy is complete.
  func describe(
    _ connection: PostgresConnection, identifier: String?, metadata: Data
  ) throws {
    let insert = try connection.prepare("INSERT INTO \"Z_METADATA\" VALUES (1, $1, $2)")
    try insert.bind(identifier.map(PostgresValue.text) ?? .null, .bytes(metadata))
    try insert.run()
    let cache = try connection.prepare("INSERT INTO \"Z_MODELCACHE\" VALUES ($1)")
    try cache.bind(.bytes(try ModelCache.encode(model)))
    try cache.run()
  }

  // MARK: Earlier stores

  /// Whether the history can have ranges of keys. A store that an earlier version of this library made
  /// cannot.
  static func hasCompleteHistory(_ stored: StoredSchema) -> Bool {
    HistoryTables(in: stored.columns)?.hasRanges ?? true
  }

  static func completeHistory(_ connection: PostgresConnection) throws {
    try connection.execute(
      "ALTER TABLE \(HistoryTables.Entity.change.table.quotedName) "
        + "ADD COLUMN \(HistoryTables.Change.firstKey.quotedName) BIGINT")
  }

  // MARK: Copies

  static func isBeingCopied(_ connection: PostgresConnection) throws -> Bool {
    try PostgresCatalog.hasTable(copyTable, connection)
  }

  /// Refuses a schema with an incomplete copy.
  static func requireComplete(_ connection: PostgresConnection) throws {
    guard try isBeingCopied(connection) else { return }
    throw SwiftDataError.loadIssueModelContainer.with(
      "The store in \(connection.database) is an incomplete copy. Run the same `swiftdata copy` again to "
        + "complete it, or drop the schema.", doing: "opening a store")
  }
}
