import Foundation
import OpenSwiftDataSQLiteEngine

/// Migrates the file of a store to the version of its models, before the store is opened.
///
/// 1. The description in the file is compared with the models and with the versions of the plan
///    (`MigrationPlanning`). Usually it has the version of the models; then nothing else is done.
/// 2. A connection takes the write lock and keeps it to the end. The file is read again: another
///    process may have migrated it.
/// 3. A copy of the store is made if the configuration asks for it.
/// 4. The steps of the path run one after the other (`MigrationRun`). Before a step deletes values,
///    a copy is made too, unless the configuration excludes that: other connections read the file
///    as it was until the commit.
/// 5. One commit stores everything. An error before it, or a killed process, leaves the file as it
///    was. Deletions are reported on standard error.
struct FileMigration {
  let configuration: ModelConfiguration
  let migration: StoreMigration

  /// - Parameters:
  ///   - configuration: Where the store is.
  ///   - schema: The validated models of the store.
  ///   - isPart: Whether the container has models that other stores contain.
  ///   - plan: The versions of the models.
  ///   - progress: Updated during a migration.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` for models that are no version of the plan.
  init(
    _ configuration: ModelConfiguration, schema: Schema, isPart: Bool = false,
    plan: PlanVersions?, progress: MigrationProgress? = nil
  ) throws {
    self.configuration = configuration
    migration = try StoreMigration(
      MigrationSubject(configuration), schema: schema, isPart: isPart, plan: plan,
      progress: progress)
  }

  /// - Parameter finding: The result of the check of the file.
  /// - Returns: The finding. If the file was migrated, here or by another process, it has the
  ///   description that was read last, perhaps before the last step; `nil` if the file is empty now.
  /// - Throws: `SwiftDataError`, or an error of the database; the file is as it was then.
  func run(_ finding: StoreFileCheck.Finding) throws -> StoreFileCheck.Finding? {
    guard case .migrate(let path) = try migration.decision(finding.stored) else { return finding }
    if path.changesVersionNameOnly, !configuration.allowsSave || !configuration.allowsMigration {
      return finding
    }
    try StoreFile.refuseWriting(finding.stored, configuration)
    // What is readable is read; opening the store reports what is not.
    if !configuration.allowsSave, finding.stored.writingObstacle != nil { return finding }
    try migration.requirePermission(path, finding.stored)
    if finding.isChangedByOpening { try refuseUnopened(since: finding.earlier) }
    let reader = StoredSchemaReader(finding.earlier)
    do {
      try run(reader, keepsRollbackJournal: finding.hasRollbackJournal)
    } catch {
      throw StoreFailure.migrating(error, at: configuration.url)
    }
    return reader.latest.map(finding.afterOpening)
  }

  /// - Parameters:
  ///   - reader: Reads the description of the file, under the write lock.
  ///   - keepsRollbackJournal: Whether a file with a rollback journal keeps it during the migration,
  ///     so that a failure leaves each byte as it was. The store is switched to a log when it is
  ///     opened.
  private func run(_ reader: StoredSchemaReader, keepsRollbackJournal: Bool) throws {
    let pool = try StoreFile.openPool(
      configuration, readers: 0, keepsRollbackJournal: keepsRollbackJournal, temporaryStorage: .file
    )
    defer { try? pool.close() }
    let external = ExternalFiles(of: configuration.url)
    var losses: [MigrationLoss] = []
    var exchangedNames: [String] = []
    var unitedLinks: [String] = []
    var backup: StoreBackup?
    func keepBackup() throws {
      if backup != nil { return }
      let made = StoreBackup(of: configuration.url, before: migration.version)
      try made.make()
      backup = made
    }
    var triesCommit = false
    do {
      try EnclosedWork(pool, external: external).run {
        guard let stored = try pool.read(reader.read),
          case .migrate(let path) = try migration.decision(stored)
        else { return }
        exchangedNames = path.exchangedNames
        let keepsBackup = configuration.keepsMigrationBackup ?? !exchangedNames.isEmpty
        if keepsBackup, !path.changesVersionNameOnly { try keepBackup() }
        let file = MigratedFile(
          configuration: configuration, pool: pool, external: external, reader: reader)
        try MigrationRun(
          migration, path, StoreIdentity(stored), file, unitesLinks: { unitedLinks += $0 }
        ) { deleted in
          losses += deleted
          if configuration.keepsMigrationBackup == nil { try keepBackup() }
        }.run()
        triesCommit = true
      }
    } catch {
      // Only a commit for which the disk had no space certainly stored nothing.
      if !triesCommit || (error as? SQLiteError)?.isOutOfSpace == true { backup?.remove() }
      throw error
    }
    MigrationLossLog.note(
      losses, of: configuration.url, before: migration.version, copy: backup?.url)
    MigrationLossLog.note(exchanged: exchangedNames, of: configuration.url, copy: backup?.url)
    MigrationLossLog.note(
      united: unitedLinks, in: migration.subject.name, before: migration.version)
  }

  /// Refuses losses of the first step before the file is opened for writing, which changes its
  /// bytes.
  private func refuseUnopened(since earlier: StoredSchema?) throws {
    try StoreFileCheck.look(at: configuration.url, since: earlier) { connection, stored in
      // Another process may have migrated the file since.
      guard case .migrate(let path) = try migration.decision(stored), let step = path.steps.first,
        !migration.runsCode(before: step), StoreIdentity(stored).describesModels
      else { return }
      let problems = try migration.change(
        step, of: StoreIdentity(stored), stored, connection,
        keepsOldTables: migration.transforms(in: step)
      ).problems(connection)
      if problems.isEmpty { return }
      throw MigrationProblemsError(problems: problems, migration: migration, step: step, path: path)
        .error
    }
  }
}
