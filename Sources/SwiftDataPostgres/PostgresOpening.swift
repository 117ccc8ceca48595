import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLSyntax
import SwiftData

/// Opens a store: creates its tables, or migrates them to the version of the models. Called by the
/// initialiser of `PostgresStore`.
///
/// 1. The description of the store is read without a lock. Usually it has the version of the models;
///    then nothing else is done.
/// 2. A connection begins a transaction and takes a lock, so that programs that start at the same time
///    create or migrate the tables once. The others wait, and find the result.
/// 3. A migration locks the tables against saves (`PostgresStoreLock`), and runs the steps of the path
///    (`MigrationRun`). Contexts of stages work on the same connection.
/// 4. One commit stores everything. After an error or the end of the process the server rolls back.
struct PostgresOpening {
  let configuration: PostgresConfiguration
  let migration: StoreMigration
  let pool: PostgresPool

  /// The description of the open store, and the mapping of the models to its tables.
  typealias Opened = (stored: StoredSchema, mapping: SchemaMapping)

  /// How often a migration is tried again when another transaction and it wait for each other.
  private static let attempts = 3

  func run() throws -> Opened {
    let stored = try pool.read("opening the store") { connection in
      try connection.transaction(.snapshot) {
        try PostgresCreation.requireComplete(connection)
        return try PostgresCatalog.read(connection)
      }
    }
    if stored == nil, !configuration.allowsSave { throw missing }
    if let stored, let opened = try openCurrent(stored) { return opened }
    for _ in 1..<PostgresOpening.attempts {
      do {
        return try runLocked()
      } catch let error as PostgresError where error.state == .deadlock {
        continue
      }
    }
    return try runLocked()
  }

  /// Opens a store that needs no change.
  /// - Returns: `nil` if it needs one.
  private func openCurrent(_ stored: StoredSchema) throws -> Opened? {
    if case .migrate(let path) = try migration.decision(stored) {
      guard path.changesVersionNameOnly, !configuration.allowsSave || !configuration.allowsMigration
      else {
        try migration.requirePermission(path, stored)
        return nil
      }
    }
    let (mapping, isIncomplete) = try mapOrRefuse(stored)
    let isComplete = !isIncomplete && PostgresCreation.hasCompleteHistory(stored)
    guard isComplete || !configuration.allowsSave else { return nil }
    let missing = try pool.read("opening the store") {
      try PostgresIndexes(mapping, configuration.profile).missing($0)
    }
    if configuration.allowsSave, configuration.allowsMigration, !missing.isEmpty { return nil }
    PostgresIndexes.noteMissing(missing)
    return (stored, mapping)
  }

  private func mapOrRefuse(
    _ stored: StoredSchema
  ) throws -> (mapping: SchemaMapping, isIncomplete: Bool) {
    switch StoreDecision(stored: stored, models: migration.models) {
    case .open(let mapping, let isIncomplete): return (mapping, isIncomplete)
    case .create: throw refusal(["there are no tables"])
    case .refuse(let differences):
      if stored.modelMetadata != nil, let missing = differences.missingTables {
        throw SwiftDataError.loadIssueModelContainer.with(
          "The database lacks tables of the models: \(missing). Another program removed or renamed them. "
            + "Restore them, or a backup; the other tables are unchanged.",
          doing: "opening a store",
          because: .schemaMismatch)
      }
      throw refusal(differences.map(\.description))
    }
  }

  private func refusal(_ differences: [String]) -> SwiftDataError {
    .loadIssueModelContainer.with(
      "The tables in the database belong to other models: "
        + differences.prefix(12).joined(separator: "; ")
        + ". They are unchanged. Use another schema of the database, with "
        + "options=-csearch_path=… in the address.", doing: "opening a store")
  }

  private var missing: SwiftDataError {
    .loadIssueModelContainer.with(
      "There is no store in \(configuration.parameters), and allowsSave: false does not create one. Check "
        + "the address and its search_path, or open the store with allowsSave: true once.",
      doing: "opening a store", because: .unavailable)
  }

  // MARK: With the lock

  private func runLocked() throws -> Opened {
    let connection = try PostgresConnection(
      configuration.parameters, options: configuration.migrationOptions)
    defer { connection.close() }
    try connection.requireServer()
    let database = PostgresMigration(
      configuration: configuration, pool: pool, connection: connection)
    var losses: [MigrationLoss] = []
    let opened: Opened
    let rewritten: [String]
    do {
      try StoreLock(configuration.profile).prepare(connection)
      try connection.beginEnclosing()
      let lock = PostgresStoreLock(connection: connection, pool: pool, configuration: configuration)
      try lock.takeOpeningLock()
      let before = try database.description() == nil ? nil : TableFiles(connection)
      opened = try change(database, lock) { losses += $0 }
      rewritten = try before.map { try TableFiles(connection).names(notIn: $0) } ?? []
      try connection.commitEnclosing()
    } catch {
      connection.rollbackEnclosing()
      throw namingOwner(error, connection)
    }
    // Until the server has counted their values, it guesses. Failing to count is no failure of the
    // migration, which is committed: the server's own maintenance counts later.
    for name in rewritten { try? connection.execute("ANALYZE \(PostgresConnection.quoted(name))") }
    MigrationLossLog.note(
      losses, of: migration.subject.name, before: migration.version,
      "The configuration has allowsMigrationLosses.")
    return opened
  }

  /// The error with the role that may create and migrate the tables, if this one lacks the right to. The role of an
  /// app does not need it, and tables that it made would be out of reach of the other roles.
  private func namingOwner(_ error: any Error, _ connection: PostgresConnection) -> any Error {
    guard var error = error as? PostgresError, error.state == .insufficientPrivilege,
      !error.isOfRowSecurity,
      let owner = (try? connection.texts(PostgresCatalog.owner))?.first
    else { return error }
    error.remedy =
      "Open the store once as its owner \(owner), which creates or migrates the tables. This user needs no such "
      + "right; the article PostgreSQL lists those of the roles."
    return error
  }

  private func change(
    _ database: PostgresMigration, _ lock: PostgresStoreLock,
    noteLosses: @escaping ([MigrationLoss]) -> Void
  ) throws -> Opened {
    guard let stored = try database.description() else {
      try PostgresCreation.requireComplete(database.connection)
      guard configuration.allowsSave else { throw missing }
      try PostgresTables(models: migration.models, version: migration.version)
        .create(database.connection)
      return try reopened(database)
    }
    if let opened = try openCurrent(stored) { return opened }
    try lock.lockTables(of: stored)
    guard let latest = try database.description() else { return try reopened(database) }
    if !PostgresCreation.hasCompleteHistory(latest) {
      try PostgresCreation.completeHistory(database.connection)
    }
    if case .migrate(let path) = try migration.decision(latest) {
      // Stages assign keys without sequences.
      let entities = try DatabaseKeys.entities(database.connection)
      try DatabaseKeys.store(DatabaseKeys.roots(of: entities), database.connection)
      var unitedLinks: [String] = []
      try MigrationRun(
        migration, path, StoreIdentity(latest), database, unitesLinks: { unitedLinks += $0 }
      ) { losses in
        try requireAllowed(losses)
        noteLosses(losses)
      }.run()
      let opened = try reopened(database)
      if !path.changesVersionNameOnly { try lock.outlastChecks() }
      MigrationLossLog.note(
        exchanged: path.exchangedNames, in: migration.subject.name, "There is no copy.")
      MigrationLossLog.note(
        united: unitedLinks, in: migration.subject.name, before: migration.version)
      return opened
    }
    try database.complete(migration.models, version: migration.version)
    return try reopened(database)
  }

  private func reopened(_ database: PostgresMigration) throws -> Opened {
    guard let stored = try database.description() else {
      throw refusal(["the tables disappeared while the store was being opened"])
    }
    let mapping = try mapOrRefuse(stored).mapping
    try PostgresNumbers.completeSequences(mapping, database.connection)
    try PostgresIndexes(mapping, configuration.profile).createMissing(database.connection)
    return (stored, mapping)
  }

  /// A server has no copy of the store from before a migration, so nothing is deleted without
  /// permission.
  private func requireAllowed(_ losses: [MigrationLoss]) throws {
    if configuration.allowsMigrationLosses { return }
    let hasObjects = losses.contains { $0.valueCount == 0 }
    throw SwiftDataError.loadIssueModelContainer.with(
      "The migration of the \(migration.subject.name) to version \(migration.version) would delete "
        + losses.map(\.description).joined(separator: ", ")
        + ". Make a backup, for example with pg_dump, and set allowsMigrationLosses of the configuration "
        + "to true."
        + (hasObjects
          ? " Or drop the objects before the migration, and create them again after it." : "")
        + " The database is unchanged.", doing: "migrating a store")
  }
}
