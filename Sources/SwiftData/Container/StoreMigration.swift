import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat

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
struct StoreMigration {
  let configuration: ModelConfiguration
  /// The models of the store.
  let models: DescribedSchema
  let plan: PlanVersions?
  let planning: MigrationPlanning
  let progress: MigrationProgress?

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
    models = DescribedSchema(schema)
    self.plan = plan
    self.progress = progress
    planning = try MigrationPlanning(
      models: ModelVersion(models), versions: plan?.versions ?? [], links: plan?.links ?? [],
      isPart: isPart)
  }

  var schema: Schema { models.schema }

  /// The version name for a new file.
  var version: String { planning.versions[planning.target].name }

  /// - Parameter finding: The result of the check of the file.
  /// - Returns: The finding. If the file was migrated, here or by another process, it has the
  ///   description that was read last, perhaps before the last step; `nil` if the file is empty now.
  /// - Throws: `SwiftDataError`, or an error of the database; the file is as it was then.
  func run(_ finding: StoreFileCheck.Finding) throws -> StoreFileCheck.Finding? {
    guard case .migrate(let path) = try decision(finding.stored) else { return finding }
    if path.changesVersionNameOnly, !configuration.allowsSave || !configuration.allowsMigration {
      return finding
    }
    try StoreFile.refuseWriting(finding.stored, configuration)
    // What is readable is read; opening the store reports what is not.
    if !configuration.allowsSave, finding.stored.writingObstacle != nil { return finding }
    try requirePermission(path)
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
    var backup: StoreBackup?
    func keepBackup() throws {
      if backup != nil { return }
      let made = StoreBackup(of: configuration.url, before: version)
      try made.make()
      backup = made
    }
    try EnclosedWork(pool, external: external).run {
      guard let stored = try pool.read(reader.read),
        case .migrate(let path) = try decision(stored)
      else { return }
      do {
        if configuration.keepsMigrationBackup == true, !path.changesVersionNameOnly {
          try keepBackup()
        }
        try MigrationRun(self, path, StoreIdentity(stored), pool, external, reader) { deleted in
          losses += deleted
          if configuration.keepsMigrationBackup == nil { try keepBackup() }
        }.run()
      } catch {
        // Otherwise each launch of a program whose migration fails would leave one more copy.
        backup?.remove()
        throw error
      }
    }
    MigrationLossLog.note(losses, of: configuration.url, before: version, copy: backup?.url)
  }

  /// Refuses losses of the first step before the file is opened for writing, which changes its
  /// bytes.
  private func refuseUnopened(since earlier: StoredSchema?) throws {
    try StoreFileCheck.look(at: configuration.url, since: earlier) { connection, stored in
      // Another process may have migrated the file since.
      guard case .migrate(let path) = try decision(stored), let step = path.steps.first,
        !runsCode(before: step), StoreIdentity(stored).describesModels
      else { return }
      let problems = try change(
        step, of: StoreIdentity(stored), stored, connection, keepsOldTables: transforms(in: step)
      ).problems(connection)
      if problems.isEmpty { return }
      throw MigrationProblemsError(problems: problems, migration: self, step: step, path: path)
        .error
    }
  }

  /// Whether code of the app runs before the tables change, and may change the rows.
  func runsCode(before step: MigrationPath.Step) -> Bool {
    guard case .custom(_, _, let willMigrate, _)? = step.stage.flatMap({ plan?.stages[$0] })
    else { return false }
    return willMigrate != nil
  }

  /// Whether code sees old and new models at the same time.
  func transforms(in step: MigrationPath.Step) -> Bool {
    if case .transform? = step.stage.flatMap({ plan?.stages[$0] }) { true } else { false }
  }

  /// Whether code runs before and after the change, so that it may keep values in between.
  private func seesBoth(in step: MigrationPath.Step) -> Bool {
    guard
      case .custom(_, _, let willMigrate, let didMigrate)? = step.stage.flatMap({ plan?.stages[$0] }
      )
    else { return false }
    return willMigrate != nil && didMigrate != nil
  }

  /// What the file needs, judged by its description alone.
  func decision(_ stored: StoredSchema) throws -> MigrationDecision {
    try planning.decision(
      StoreIdentity(stored), named: "The store at \(configuration.url.path)"
    ) { version in
      let decision = StoreDecision(
        stored: stored, models: plan.map { DescribedSchema($0.schemas[version]) } ?? models)
      guard case .refuse(let differences) = decision else { return [] }
      return differences.map(\.description)
    }
  }

  /// The models of a version.
  /// - Parameter store: The description in the file before the first step; `nil` for all models of
  ///   the version, even if the store contains only some.
  /// - Throws: `SwiftDataError.loadIssueModelContainer`.
  func schema(at version: Int, of store: StoreIdentity?) throws -> Schema {
    guard let plan else { return schema }
    let schema = plan.schemas[version]
    guard let names = store.flatMap(planning.names(in:)),
      !names.isSuperset(of: schema.entitiesByName.keys)
    else { return schema }
    return try Schema.validated(
      entities: schema.entities.filter { names.contains($0.name) }, version: schema.version)
  }

  /// The change of the tables in a step, planned for the file as it is now.
  /// - Parameters:
  ///   - store: The description in the file before the first step.
  ///   - stored: The description of the file now, read in the transaction of `connection`.
  ///   - keepsOldTables: Whether code sees both sides after the change.
  func change(
    _ step: MigrationPath.Step, of store: StoreIdentity, _ stored: StoredSchema,
    _ connection: Connection, keepsOldTables: Bool = false
  ) throws -> SchemaChange {
    let version = step.from.map {
      planning.versions[$0].model(of: planning.names(in: store))
    }
    guard let model = stored.model ?? version else {
      throw SwiftDataError.unknownDataStoreSchema.with(
        "The store at \(configuration.url.path) does not describe its models.")
    }
    var options = SchemaChange.Options()
    options.removing = planning.entitiesRemoved(in: step)
    options.keepsOldTables = keepsOldTables
    options.codeReadsBothVersions = seesBoth(in: step)
    // A store that no version describes is migrated to the first one only if that loses nothing.
    options.refusesLosses = plan != nil && step.from == nil
    options.keepsHistory = configuration.keepsHistory
    options.version = plan == nil ? nil : planning.versions[step.to].name
    let change = try SchemaChange(
      stored: stored, model: model, schema: schema(at: step.to, of: store), options: options,
      connection: connection)
    if plan == nil || step.from == nil { try refuseUnrelated(change, connection) }
    return change
  }

  /// Refuses rows of another program: their entity has the name of a model and none of its
  /// properties.
  private func refuseUnrelated(_ change: SchemaChange, _ connection: Connection) throws {
    let unrelated = try change.unrelatedEntities(connection)
    guard let first = unrelated.first else { return }
    let names = unrelated.map { "\($0.entity) (\($0.rows) \($0.rows == 1 ? "row" : "rows"))" }
    let hints = try change.problems(connection).filter { problem in
      problem.remedy == .declaration && unrelated.contains { $0.entity == problem.storedEntity }
    }.prefix(12).map { "\n- \($0.description)" }.joined()
    throw SwiftDataError.unknownDataStoreSchema.with(
      "The store at \(configuration.url.path) has rows of models with these names, but none of their "
        + "properties is in your models: \(names.joined(separator: ", ")). The file is probably from "
        + "another program. Check the URL, or rename the model. If it is the same model, declare the "
        + "former names of its properties with @Attribute(originalName:), or list removed properties in "
        + "removedProperties. The file is unchanged.\(hints)",
      doing: "opening a store", entity: unrelated.count == 1 ? first.entity : nil)
  }

  /// The error for a file that is empty now, and so has no description.
  var isEmpty: SwiftDataError {
    .loadIssueModelContainer.with("The file at \(configuration.url.path) is empty. Check the URL.",
      because: .storeDamaged)
  }

  private func requirePermission(_ path: MigrationPath) throws {
    let advice: String
    if !configuration.allowsSave {
      advice = "Its configuration has allowsSave: false. Open it with allowsSave: true once"
    } else if !configuration.allowsMigration {
      advice =
        "Set allowsMigration of its configuration to true once. To see the changes first, call "
        + "ModelContainer.migrationPreview(for:migrationPlan:configurations:)"
    } else {
      return
    }
    throw SwiftDataError.loadIssueModelContainer.with(
      "The store at \(configuration.url.path) has to be migrated, \(path.text). \(advice). The file "
        + "is unchanged.", doing: "opening a store", because: .schemaMismatch)
  }
}
