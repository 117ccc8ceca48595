/// Code of an app in a stage of a migration, which uses the models of one version.
///
/// The context is an ordinary one. What it saves becomes part of the migration. Unsaved changes are
/// an error, because they would be lost silently.
struct StageCode {
  enum Place: String {
    case willMigrate, didMigrate, transformation
  }

  private let hook: Place
  /// The stage: `1.0.0 to 2.0.0`.
  private let stage: String
  private let models: StageModels

  init(_ hook: Place, of stage: String, _ models: StageModels) {
    self.hook = hook
    self.stage = stage
    self.models = models
  }

  func run(_ run: MigrationRun, _ body: (ModelContext, StoreInvalidation) throws -> Void) throws {
    let seal = StoreInvalidation()
    // A context that the code keeps must not use tables that change after it.
    defer { seal.close() }
    let context = ModelContext(try run.container(models, seal))
    context.reportsUnsavedChanges = false  // an error reports them
    do {
      try body(context, seal)
    } catch {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The migration stage \(stage) failed in \(hook.rawValue); the store is unchanged.",
        doing: "migrating a store", underlying: error)
    }
    if let failure = seal.failure {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The store could not be read in \(hook.rawValue) of the migration stage \(stage); it is "
          + "unchanged.", doing: "migrating a store", underlying: StoreFailure.cause(failure))
    }
    guard context.hasChanges else { return }
    throw SwiftDataError.loadIssueModelContainer.with(
      "The migration stage \(stage) left changes unsaved in \(hook.rawValue) "
        + "(\(context.insertedModelsArray.count) inserted, \(context.changedModelsArray.count) changed, "
        + "\(context.deletedModelsArray.count) deleted). Call context.save() at its end, or "
        + "context.rollback() to discard them; the store is unchanged.",
      doing: "migrating a store")
  }

  /// Code before the change may keep identifiers for code after it. They do not lead to rows with other keys.
  static func warn(ofNewKeys entities: [String], in stage: String) {
    if entities.isEmpty { return }
    WarningLog.write(
      "the migration stage \(stage) gives other keys to the rows of "
        + "\(entities.joined(separator: ", ")), which move to the table of a superclass with other rows. "
        + "Identifiers that willMigrate keeps do not lead to these rows in didMigrate. To set values of new "
        + "models from old ones, use MigrationStage.transform.")
  }

  /// A transformation reads values of old models as they were before the change.
  static func warn(
    ofEarlierIdentifiersIn properties: [String], of entities: Set<String>, in stage: String
  ) {
    if properties.isEmpty { return }
    WarningLog.write(
      "the migration stage \(stage) gives other identifiers to the rows of "
        + "\(entities.sorted().joined(separator: ", ")). Old models still have the earlier ones in "
        + "\(properties.sorted().joined(separator: ", ")): new models that get these values lead to no row, or "
        + "to another one. Properties that continue are adjusted. For others map the persistentModelID of each "
        + "old model to that of the new one, with forEach.")
  }

  /// An identifier contains the name of its model.
  static func warn(ofNewNames entities: [(earlier: String, current: String)], in stage: String) {
    if entities.isEmpty { return }
    let names = entities.map { "\($0.earlier) is now \($0.current)" }.joined(separator: ", ")
    WarningLog.write(
      "the migration stage \(stage) gives other names to models with rows: \(names). Identifiers that "
        + "willMigrate keeps do not lead to these rows in didMigrate. To set values of new models from old ones, "
        + "use MigrationStage.transform.")
  }
}
