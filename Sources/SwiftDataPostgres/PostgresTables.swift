import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLSyntax
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
  /// Excludes other programs that open the store.
  private let lock: StoreLock

  /// Without columns for values of deleted rows, whose types differ in one column.
  static let history = HistoryTables(tombstoneCount: 0)

  init(_ models: DescribedSchema, lock: StoreLock) {
    self.models = models
    self.lock = lock
  }

  /// - Returns: The identifier of the store, and the mapping of the models to its tables.
  func open(_ pool: PostgresPool) throws -> (identifier: String, mapping: SchemaMapping) {
    try requireSupported()
    return try pool.write("opening the store") { connection in
      try lock.prepare(connection)
      let opened = try connection.transaction {
        try connection.execute(lock.statement(for: .opening))
        let exists =
          try connection.prepare("SELECT count(to_regclass('\"Z_METADATA\"'))").integer() == 1
        let opened = exists ? try compare(connection) : try create(connection)
        try PostgresNumbers.createSequences(opened.mapping, connection)
        return opened
      }
      return opened
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

  /// The server cuts off the rest of a longer name, so that two names may become one.
  private func requireShortNames(_ mapping: SchemaMapping) throws {
    let names = mapping.tables.flatMap { [$0.table.name] + $0.table.columns.map(\.name) }
    guard let long = names.first(where: { $0.utf8.count > 63 }) else { return }
    throw SwiftDataError.loadIssueModelContainer.with(
      "The name \(long) is longer than the 63 bytes that PostgreSQL allows. Give the model or property "
        + "a shorter name, or another originalName.")
  }

  private func create(
    _ connection: PostgresConnection
  ) throws -> (identifier: String, mapping: SchemaMapping) {
    let mapping = SchemaMapping(models)
    try requireShortNames(mapping)
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
    let identifier = UUID().uuidString
    let metadata = try connection.prepare("INSERT INTO \"Z_METADATA\" VALUES (1, $1, NULL)")
    try metadata.bind(.text(identifier))
    try metadata.run()
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
