import Foundation
import OpenSwiftDataPostgresEngine
public import SwiftData

extension ModelContainer {
  /// Returns what opening the stores of a schema would change in their databases, and changes nothing.
  ///
  /// ```swift
  /// let configuration = try PostgresConfiguration(url: url)
  /// for preview in try ModelContainer.migrationPreview(
  ///   for: Schema(versionedSchema: ShopV2.self), migrationPlan: ShopPlan.self,
  ///   configurations: [configuration])
  /// where preview.isNeeded {
  ///   print(preview)
  /// }
  /// ```
  ///
  /// Code of custom stages is not run, so later stages are planned but not checked. Rows that may
  /// prevent the first stage are counted, which reads their tables. Saves of other programs do not wait.
  /// - Parameters:
  ///   - schema: The models.
  ///   - migrationPlan: The plan that the container would use.
  ///   - configurations: The stores.
  /// - Returns: One preview per store, in the order of the configurations.
  /// - Throws: The error of creating the container, for a store that cannot be migrated:
  ///   `SwiftDataError.unknownDataStoreSchema`, `.backwardMigration` or `.loadIssueModelContainer`; for
  ///   configurations that do not fit the schema `.configurationSchemaNotFoundInContainerSchema` or
  ///   `.duplicateConfiguration`.
  @_disfavoredOverload
  public static func migrationPreview(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [PostgresConfiguration]
  ) throws -> [MigrationPreview] {
    try schema.validate()
    try StoreOpening.check(configurations, in: schema, areAll: false)
    return try configurations.map { configuration in
      let part = configuration.schema ?? schema
      let isPart = part.entitiesByName.count < schema.entitiesByName.count
      return try StoreOpeningOptions.$current.withValue(StoreOpeningOptions(isPart: isPart)) {
        try PostgresPreview(
          configuration: configuration, migration: configuration.migration(to: part, migrationPlan)
        ).preview()
      }
    }
  }
}

/// Determines what a migration would do, in a transaction that is rolled back.
///
/// The first stage is planned on the tables of the store, which are only read. For the later ones the
/// transaction gets temporary tables without rows, which hide those of the store.
struct PostgresPreview {
  let configuration: PostgresConfiguration
  let migration: StoreMigration

  func preview() throws -> MigrationPreview {
    do {
      let connection = try PostgresConnection(
        configuration.parameters, options: configuration.migrationOptions)
      defer { connection.close() }
      try connection.requireServer()
      try connection.begin(.write)
      defer { connection.rollback() }
      return try preview(connection)
    } catch let error as PostgresError {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The store in \(configuration.parameters) can't be read.", doing: "previewing a migration",
        underlying: error)
    }
  }

  private func preview(_ connection: PostgresConnection) throws -> MigrationPreview {
    guard let stored = try PostgresCatalog.read(connection) else { return preview(nil, [], [:]) }
    let version = StoreIdentity(stored).versionText
    let counts = try rowCounts(stored, connection)
    guard case .migrate(let path) = try migration.decision(stored) else {
      return preview(version, [], counts)
    }
    let stages = try MigrationPreview.stages(
      migration, path, stored, connection, read: { _ in try PostgresCatalog.read(connection) },
      withoutRows: {
        try copyTables(stored, connection)
        return connection
      })
    return preview(version, stages, counts)
  }

  private func preview(
    _ version: String?, _ stages: [MigrationPreview.Stage], _ counts: [String: Int]
  ) -> MigrationPreview {
    MigrationPreview(
      url: url, fromVersion: version, toVersion: migration.version, stages: stages,
      rowCounts: counts)
  }

  /// The address without secrets.
  private var url: URL {
    var components = URLComponents()
    components.scheme = "postgresql"
    components.path =
      "/" + (configuration.parameters["dbname"] ?? configuration.parameters["user"] ?? "")
    let host = configuration.parameters["host"] ?? configuration.parameters["hostaddr"] ?? ""
    if host.hasPrefix("/") {
      components.queryItems = [URLQueryItem(name: "host", value: host)]
    } else {
      components.host = host
    }
    return components.url ?? URL(filePath: "/")
  }

  private func rowCounts(
    _ stored: StoredSchema, _ connection: PostgresConnection
  ) throws -> [String: Int] {
    let numbers = stored.entitiesByNumber
    var counts: [String: Int] = [:]
    for (table, columns) in stored.columns where columns["Z_ENT"] != nil && columns["Z_PK"] != nil {
      let rows = try connection.prepare(
        "SELECT \"Z_ENT\", count(*) FROM \(PostgresConnection.quoted(table)) "
          + "WHERE \"Z_ENT\" IS NOT NULL GROUP BY 1"
      ).integers()
      for index in stride(from: 0, to: rows.count, by: 2) {
        // Numbers of the history are not entities of models.
        guard rows[index] < 16_000, let name = numbers[Int(rows[index])]?.name else { continue }
        counts[name] = Int(rows[index + 1])
      }
    }
    return counts
  }

  private func copyTables(_ stored: StoredSchema, _ connection: PostgresConnection) throws {
    for table in stored.columns.keys.sorted() {
      let name = PostgresConnection.quoted(table)
      try connection.execute("CREATE TEMP TABLE \(name) (LIKE \(name))")
    }
    guard
      case .text(let schema)? = try connection.prepare("SELECT current_schema()::text").values()
        .first?.first
    else { return }
    for table in ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"] where stored.columns[table] != nil {
      let name = PostgresConnection.quoted(table)
      try connection.execute(
        "INSERT INTO pg_temp.\(name) SELECT * FROM \(PostgresConnection.quoted(schema)).\(name)")
    }
    // New tables are temporary too.
    try connection.execute("SET LOCAL search_path = pg_temp")
    connection.forgetStatements()
  }
}
