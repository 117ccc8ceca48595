import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat
import SwiftData

/// Creates the tables of a store, or compares existing ones with the models. Called by the initialiser
/// of `PostgresStore`.
///
/// 1. One transaction holds a lock, so that programs that start at the same time create the tables
///    once.
/// 2. Without `Z_METADATA` in the current schema of the database, all tables are created.
/// 3. Otherwise the models are mapped with the stored entity numbers, and the columns compared. Tables
///    of other models are refused and stay as they are.
struct PostgresTables {
  private let models: DescribedSchema

  /// Excludes other programs that open a store; any number that others do not use.
  static let lockNumber: Int64 = 0x0053_7769_6674_4461

  /// Without columns for values of deleted rows, whose types differ in one column.
  static let history = HistoryTables(tombstoneCount: 0)

  init(_ models: DescribedSchema) {
    self.models = models
  }

  /// - Parameter allowsSave: Whether missing tables are created. Otherwise nothing is written or locked,
  ///   so a role that may only read, and a standby, are enough.
  /// - Returns: The identifier of the store, and the mapping of the models to its tables.
  func open(
    _ pool: PostgresPool, allowsSave: Bool
  ) throws -> (identifier: String, mapping: SchemaMapping) {
    try requireSupported()
    return try pool.write("opening the store") { connection in
      try connection.transaction(allowsSave ? .write : .snapshot) {
        if allowsSave {
          try connection.execute("SELECT pg_advisory_xact_lock(\(PostgresTables.lockNumber))")
        }
        try PostgresCreation.requireComplete(connection)
        let exists =
          try connection.prepare("SELECT count(to_regclass('\"Z_METADATA\"'))").integer() == 1
        if exists { return try compare(connection) }
        guard allowsSave else {
          throw SwiftDataError.loadIssueModelContainer.with(
            "There is no store in \(connection.database), and allowsSave: false does not create one. Check "
              + "the address and its search_path, or open the store with allowsSave: true once.",
            doing: "opening a store")
        }
        return try create(connection)
      }
    }
  }

  /// Refuses what would be lost.
  private func requireSupported() throws {
    for entity in models.schema.entities {
      for attribute in entity.attributes
      where attribute.options.contains(.preserveValueOnDeletion) {
        throw SwiftDataError.loadIssueModelContainer.with(
          "A PostgreSQL store does not preserve values of deleted models yet. Remove "
            + ".preserveValueOnDeletion.", entity: entity.name, property: attribute.name)
      }
    }
  }

  private func create(
    _ connection: PostgresConnection
  ) throws -> (identifier: String, mapping: SchemaMapping) {
    let mapping = SchemaMapping(models)
    let identifier = UUID().uuidString
    let creation = PostgresCreation(
      model: mapping.layout.model, numbers: mapping.layout.numbers,
      definitions: mapping.creationStatements)
    try creation.create(connection)
    try creation.describe(
      connection, identifier: identifier,
      metadata: try StoreMetadata.data(
        models.model, externalAttributes: mapping.externalAttributes,
        integerTypes: mapping.integerTypes))
    return (identifier, mapping)
  }

  private func compare(
    _ connection: PostgresConnection
  ) throws -> (identifier: String, mapping: SchemaMapping) {
    guard
      case .text(let identifier)? = try connection.prepare("SELECT \"Z_UUID\" FROM \"Z_METADATA\"")
        .values().first?.first
    else { throw refusal(["there is no identifier in Z_METADATA"]) }
    let stored = try connection.prepare(
      "SELECT \"Z_ENT\", \"Z_NAME\", \"Z_SUPER\" FROM \"Z_PRIMARYKEY\""
    ).rows { rows in
      var stored: [(name: String, number: Int, superNumber: Int)] = []
      while try rows.next() {
        stored.append(
          (
            try rows.text(1) ?? "", Int(try rows.integer(0) ?? 0), Int(try rows.integer(2) ?? 0)
          ))
      }
      return stored
    }
    let mapping = SchemaMapping(models, file: FileEntities(stored: stored))
    let names = Set(stored.map(\.name))
    let missing = mapping.entities.filter { !names.contains($0.name) }
      .map { "there is no entity \($0.name)" }
    let differences = try missing + columnDifferences(mapping, connection)
    if !differences.isEmpty { throw refusal(differences) }
    return (identifier, mapping)
  }

  private func columnDifferences(
    _ mapping: SchemaMapping, _ connection: PostgresConnection
  ) throws -> [String] {
    var stored: [String: Set<String>] = [:]
    let columns = try connection.prepare(
      """
      SELECT table_name::text, column_name::text FROM information_schema.columns \
      WHERE table_schema = current_schema()
      """)
    try columns.rows { rows in
      while try rows.next() {
        stored[try rows.text(0) ?? "", default: []].insert(try rows.text(1) ?? "")
      }
    }
    return mapping.tables.flatMap { definition in
      let known = stored[definition.table.name] ?? []
      let wanted = Set(definition.table.columns.map(\.name))
      return wanted.subtracting(known).sorted().map {
        "the table \(definition.table.name) has no column \($0)"
      }
    }
  }

  private func refusal(_ differences: [String]) -> SwiftDataError {
    .loadIssueModelContainer.with(
      "The tables in the database belong to other models: \(differences.joined(separator: "; ")). "
        + "They are unchanged. Use another schema of the database, with "
        + "options=-csearch_path=… in the address.")
  }
}
