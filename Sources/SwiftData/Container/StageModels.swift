/// The models that code of a stage may use: all of the version, although the stage runs for one store.
///
/// Several stores of a container are migrated one after the other. Code of a stage that names models of
/// the others finds no rows of them, and cannot insert any.
struct StageModels {
  /// The models of the store, which the stage's container shows.
  let own: Schema
  /// All models of the version.
  let all: Schema
  let subject: MigrationSubject

  /// An empty store for the models that the migrated store does not contain.
  /// - Returns: No store if it contains all.
  func foreignStore(
    _ seal: StoreInvalidation
  ) throws -> [(store: any DataStore, entities: Set<String>)] {
    let foreign = Set(all.entitiesByName.keys).subtracting(own.entitiesByName.keys)
    if foreign.isEmpty { return [] }
    let configuration = ModelConfiguration(
      "other stores", schema: all, isStoredInMemoryOnly: true)
    // Some may refer to models of the store, so the tables are those of all.
    let store = try DefaultStore(
      configuration, models: DescribedSchema(all), pool: StoreFile.openPool(configuration),
      reader: StoredSchemaReader(nil), seal: seal, refusal: refusal(foreign))
    return [(store, foreign)]
  }

  private func refusal(_ foreign: Set<String>) -> SwiftDataError {
    SwiftDataError.modelValidationFailure.with(
      "A migration stage runs once for each store. The \(subject.name) does not contain "
        + "\(foreign.sorted().joined(separator: ", ")). Insert such models only if the schema of "
        + "context.container contains them, which it does when the stage runs for their store.",
      because: .invalidRequest)
  }
}
