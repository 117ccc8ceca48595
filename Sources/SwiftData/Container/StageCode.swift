/// Code of an app in a stage of a migration, which works with the models of one version.
///
/// The context is an ordinary one. What it saves becomes part of the migration; what it leaves unsaved is an
/// error, because it would be lost without a word.
struct StageCode {
  enum Place: String {
    case willMigrate, didMigrate, transformation
  }

  private let place: Place
  /// The stage: `1.0.0 to 2.0.0`.
  private let stage: String
  private let schema: Schema

  init(_ place: Place, of stage: String, _ schema: Schema) {
    self.place = place
    self.stage = stage
    self.schema = schema
  }

  func run(_ run: MigrationRun, _ body: (ModelContext, StoreSeal) throws -> Void) throws {
    let seal = StoreSeal()
    // A context that the code keeps can't use tables of which it does not know the change.
    defer { seal.close() }
    let context = ModelContext(try run.container(schema, seal))
    context.reportsUnsavedChanges = false  // an error tells of them
    do {
      try body(context, seal)
    } catch {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The migration stage \(stage) failed in \(place.rawValue); the store was left as it is.",
        doing: "migrating a store", underlying: error)
    }
    if let failure = seal.failure {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The store could not be read in \(place.rawValue) of the migration stage \(stage); it was left as it "
          + "is.", doing: "migrating a store", underlying: StoreFailure.cause(failure))
    }
    guard context.hasChanges else { return }
    throw SwiftDataError.loadIssueModelContainer.with(
      "The migration stage \(stage) left changes unsaved in \(place.rawValue) "
        + "(\(context.insertedModelsArray.count) inserted, \(context.changedModelsArray.count) changed, "
        + "\(context.deletedModelsArray.count) deleted). Call context.save() at its end, or "
        + "context.rollback() to discard them; the store was left as it is.",
      doing: "migrating a store")
  }
}
