import OpenSwiftDataStoreFormat

/// The migration of a store to the version of its models: what the store needs, judged by its
/// description, and the changes of its tables. `FileMigration` runs it for a file, and other stores
/// for their database (`MigratedDatabase`).
package struct StoreMigration {
  package let subject: MigrationSubject
  /// The models of the store.
  package let models: DescribedSchema
  let plan: PlanVersions?
  let planning: MigrationPlanning
  let progress: MigrationProgress?

  /// - Parameters:
  ///   - subject: The store.
  ///   - schema: The validated models of the store.
  ///   - isPart: Whether the container has models that other stores contain.
  ///   - plan: The versions of the models.
  ///   - progress: Updated during a migration.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` for models that are no version of the plan, or whose
  ///   tables would be those of the store itself.
  package init(
    _ subject: MigrationSubject, schema: Schema, isPart: Bool = false,
    plan: PlanVersions?, progress: MigrationProgress? = nil
  ) throws {
    self.subject = subject
    models = DescribedSchema(schema)
    self.plan = plan
    self.progress = progress
    for root in models.model.roots {
      let table = StoreLayout.table(forRoot: root.name)
      guard subject.isOwnTable(table) else { continue }
      throw SwiftDataError.loadIssueModelContainer.with(
        "The table of the model \(root.name) would have the name \(table), which the \(subject.name) "
          + "needs for itself. Rename the model.", entity: root.name)
    }
    planning = try MigrationPlanning(
      models: ModelVersion(models), versions: plan?.versions ?? [], links: plan?.links ?? [],
      isPart: isPart)
  }

  var schema: Schema { models.schema }

  /// What stays unchanged after an error.
  private var noun: String { subject.isFile ? "file" : "database" }

  /// The version name for a new file.
  package var version: String { planning.versions[planning.target].name }

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
  package func decision(_ stored: StoredSchema) throws -> MigrationDecision {
    try planning.decision(
      StoreIdentity(stored), named: "The \(subject.name)"
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

  /// The models that code of a stage may use.
  /// - Parameter store: The description in the file before the first step.
  func stageModels(at version: Int, of store: StoreIdentity) throws -> StageModels {
    try StageModels(
      own: schema(at: version, of: store), all: schema(at: version, of: nil), subject: subject)
  }

  /// The change of the tables in a step, planned for the file as it is now.
  /// - Parameters:
  ///   - store: The description in the file before the first step.
  ///   - stored: The description of the file now, read in the transaction of `connection`.
  ///   - keepsOldTables: Whether code sees both sides after the change.
  func change(
    _ step: MigrationPath.Step, of store: StoreIdentity, _ stored: StoredSchema,
    _ session: any SQLSession, keepsOldTables: Bool = false
  ) throws -> SchemaChange {
    let version = step.from.map {
      planning.versions[$0].model(of: planning.names(in: store))
    }
    guard let model = stored.model ?? version else {
      throw SwiftDataError.unknownDataStoreSchema.with(
        "The \(subject.name) does not describe its models.")
    }
    var options = SchemaChange.Options()
    options.removing = planning.entitiesRemoved(in: step)
    options.keepsOldTables = keepsOldTables
    options.codeReadsBothVersions = seesBoth(in: step)
    // A store that no version describes is migrated to the first one only if that loses nothing.
    options.refusesLosses = plan != nil && step.from == nil
    options.keepsHistory = subject.keepsHistory
    options.keepsNumbers = subject.keepsNumbers
    options.externalFolder = subject.file.map(ExternalFolder.init)
    options.version = plan == nil ? nil : planning.versions[step.to].name
    let change = try SchemaChange(
      stored: stored, model: model, schema: schema(at: step.to, of: store), options: options,
      connection: session)
    if plan == nil || step.from == nil { try refuseUnrelated(change, session) }
    return change
  }

  /// Refuses rows of another program: their entity has the name of a model and none of its
  /// properties.
  private func refuseUnrelated(_ change: SchemaChange, _ session: any SQLSession) throws {
    let unrelated = try change.unrelatedEntities(session)
    guard let first = unrelated.first else { return }
    let names = unrelated.map { "\($0.entity) (\($0.rows) \($0.rows == 1 ? "row" : "rows"))" }
    // Subclasses inherit the declaration.
    let roots = Set(unrelated.compactMap { change.new.model.lineage(of: $0.entity).last?.name })
    let hints = try change.problems(session).filter { problem in
      problem.remedy == .declaration && unrelated.contains { $0.entity == problem.storedEntity }
    }.prefix(12).map { "\n- \($0.description)" }.joined()
    throw SwiftDataError.unknownDataStoreSchema.with(
      "The \(subject.name) has rows of models with these names, but none of their "
        + "properties is in your models: \(names.joined(separator: ", ")). The \(noun) is probably "
        + "from another program. Check the \(subject.isFile ? "URL" : "address"), or rename the model. If it is the same model, declare the "
        + "former names of its properties with @Attribute(originalName:), or list removed properties in "
        + "removedProperties of \(roots.sorted().joined(separator: ", ")). The \(noun) is unchanged.\(hints)",
      doing: "opening a store", entity: unrelated.count == 1 ? first.entity : nil)
  }

  /// The error for a file that is empty now, and so has no description.
  var isEmpty: SwiftDataError {
    .loadIssueModelContainer.with(
      "The \(subject.name) is empty. Check the address.", because: .storeDamaged)
  }

  /// - Parameter stored: The description of the store, whose differences from the models are named.
  package func requirePermission(_ path: MigrationPath, _ stored: StoredSchema? = nil) throws {
    let advice: String
    if !subject.allowsSave {
      advice = "Its configuration has allowsSave: false. Open it with allowsSave: true once"
    } else if !subject.allowsMigration {
      advice =
        "Set allowsMigration of its configuration to true once. To see the changes first, call "
        + "ModelContainer.migrationPreview(for:migrationPlan:configurations:)"
    } else {
      return
    }
    let differences =
      (stored?.model).map {
        ModelDifference.all(from: $0, to: models.model).prefix(12).map(\.description)
      } ?? []
    let listed = differences.isEmpty ? "" : " Differences: \(differences.joined(separator: "; "))."
    throw SwiftDataError.loadIssueModelContainer.with(
      "The \(subject.name) has to be migrated, \(path.text).\(listed) \(advice). The \(noun) "
        + "is unchanged.", doing: "opening a store", because: .schemaMismatch)
  }
}
