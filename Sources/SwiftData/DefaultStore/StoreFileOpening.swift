import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat

/// Opens the store in a file, on connections that are open already. Called by the initialiser of
/// `DefaultStore`.
///
/// 1. The description of the file is read. If there is none, the file is created (`StoreCreation`).
/// 2. `StoreDecision` compares the description with the models: the file is opened or refused.
/// 3. What the file lacks is added: the description of the models if an earlier release wrote none or it is
///    damaged (`StoreCompletion`), the history, and indexes (`StoreIndexes`).
/// 4. From then on `StoreSchemaMonitor` detects migrations by other processes
///    and containers.
///
/// Another process may change the file at any time. Therefore the description is read again in each
/// transaction that writes (`StoredSchemaReader`).
struct StoreFileOpening {
  let pool: ConnectionPool
  let models: DescribedSchema
  let configuration: ModelConfiguration
  /// The version identifier for a new file; `nil` uses that of the schema.
  let version: String?
  /// The files of large values, if they are open already.
  let external: ExternalFiles?
  /// Reads the description of the file.
  let reader: StoredSchemaReader

  /// The file, and the mapping of the models to its tables with the file's own entity numbers.
  typealias Opened = (file: StoreFile, mapping: SchemaMapping)

  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the file can't be used with the models,
  ///   or `SQLiteError`.
  func run() throws -> Opened {
    if let stored = try pool.read(reader.read) { return try openOrRefuse(stored) }
    let (stored, mapping) = try create()
    return try mapping.map { try open(stored, $0) } ?? openOrRefuse(stored)
  }

  private func openOrRefuse(_ stored: StoredSchema) throws -> Opened {
    let (mapping, isIncomplete) = try mapOrRefuse(stored)
    guard isIncomplete, configuration.allowsSave else { return try open(stored, mapping) }
    let completed = try complete()
    if stored.hasDamagedDescription { noteRepair() }
    return try open(completed.stored, completed.mapping)
  }

  private func noteRepair() {
    WarningLog.write(
      "The description of the models in the store at \(configuration.url.path) was damaged. It was written anew "
        + "from the models of the container. Look for other damage with the command swiftdata check.",
      onceFor: "description \(configuration.url.path)")
  }

  /// The mapping of the models to a file with tables, and whether it lacks their description.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the file can't be used with the models.
  private func mapOrRefuse(
    _ stored: StoredSchema
  ) throws -> (mapping: SchemaMapping, isIncomplete: Bool) {
    switch decision(stored) {
    case .create: throw isEmpty
    case .open(let mapping, let isIncomplete):
      try StoreFile.refuseWriting(stored, configuration)
      return (mapping, isIncomplete)
    case .refuse(let differences):
      throw StoreFile.refusal(differences, of: stored, at: configuration.url)
    }
  }

  private func decision(_ stored: StoredSchema?) -> StoreDecision {
    StoreDecision(stored: stored, models: models, isRead: !configuration.allowsSave)
  }

  // MARK: Create

  /// Creates the tables of an empty file.
  /// - Returns: The mapping to the new tables; `nil` if another process has created the store.
  private func create() throws -> (stored: StoredSchema, mapping: SchemaMapping?) {
    guard configuration.allowsSave else {
      if configuration.isStoredInMemoryOnly {
        throw SwiftDataError.loadIssueModelContainer.with(
          "A store in memory begins empty, so allowsSave: false leaves nothing to read. Remove it, or open "
            + "a file.", because: .invalidRequest)
      }
      throw SwiftDataError.loadIssueModelContainer.with(
        "There is no store at \(configuration.url.path), and allowsSave is false. Open it with "
          + "allowsSave: true once, or check the URL.", because: .unavailable)
    }
    return try pool.write { connection in
      try connection.transaction {
        // Another process may create the store at the same time, so the file is read again inside.
        if let other = try reader.read(connection) { return (other, nil) }
        guard case .create(let mapping) = decision(nil) else { throw isEmpty }
        // No other connection opens a store in memory, so it needs no description of its models.
        try StoreCreation(mapping, version: version).create(
          connection, describesModel: !configuration.isStoredInMemoryOnly)
        return (try read(connection), mapping)
      }
    }
  }

  // MARK: Complete

  /// Adds the description of the models to a file of an earlier release, or in place of a damaged one.
  /// - Returns: The description after that, and the mapping to it.
  private func complete() throws -> (stored: StoredSchema, mapping: SchemaMapping) {
    try pool.write { connection in
      try connection.transaction {
        // Another process may have completed or migrated the file, so it is judged again inside.
        let stored = try read(connection)
        let (mapping, isIncomplete) = try mapOrRefuse(stored)
        guard isIncomplete else { return (stored, mapping) }
        try StoreCompletion(mapping: mapping, version: version).run(stored, connection)
        return (try read(connection), mapping)
      }
    }
  }

  /// Adds the history tables. Core Data creates them only if an app asks for it, but every save of
  /// this library records its changes in them.
  /// - Returns: The description after that. Another process may have migrated the file before;
  ///   `StoreSchemaMonitor` detects that.
  private func addHistory(
    to stored: StoredSchema, _ mapping: SchemaMapping
  ) throws -> StoredSchema {
    guard configuration.allowsSave, HistoryTables.areMissing(in: stored.columns) else {
      return stored
    }
    return try pool.write { connection in
      try connection.transaction {
        let stored = try read(connection)
        // Another process may have created them.
        guard HistoryTables.areMissing(in: stored.columns) else { return stored }
        try StoreCreation(mapping).createHistory(connection)
        return try read(connection)
      }
    }
  }

  // MARK: Open

  /// Opens a file that has all tables of the models.
  private func open(_ stored: StoredSchema, _ mapping: SchemaMapping) throws -> Opened {
    let latest = try addHistory(to: stored, mapping)
    let external = try openExternalFiles(mapping)
    let trees = try StoreIndexes.open(pool, mapping: mapping)
    if !configuration.isStoredInMemoryOnly {
      try StoreSchemaMonitor(stored, mapping, latest: latest).begin(pool)
    }
    let file = StoreFile(
      identifier: latest.identifier, trees: trees, history: HistoryTables(in: latest.columns),
      removedEntities: latest.modelMetadata?.removedEntities ?? [:], external: external)
    return (file, mapping)
  }

  private func openExternalFiles(_ mapping: SchemaMapping) throws -> ExternalFiles? {
    let external =
      external
      ?? (configuration.isStoredInMemoryOnly ? nil : ExternalFiles(of: configuration.url))
    if configuration.allowsSave { try external?.open(pool, mapping: mapping) }
    return external
  }

  // MARK: Refuse

  /// - Throws: `isEmpty` for an empty file.
  private func read(_ connection: Connection) throws -> StoredSchema {
    guard let stored = try reader.read(connection) else { throw isEmpty }
    return stored
  }

  private var isEmpty: SwiftDataError {
    .loadIssueModelContainer.with(
      "The file at \(configuration.url.path) is still empty after its tables were created. Check "
        + "whether another program replaces it.", because: .unavailable)
  }
}
