extension DefaultStore {
  /// Opens the store, creates its file if there is none, and migrates a file of other models.
  ///
  /// ``ModelContainer`` opens its stores in the same way.
  /// - Parameters:
  ///   - configuration: Where the store is and which entities it contains.
  ///   - migrationPlan: How stores of older versions are migrated; without a plan only changes that
  ///     need no code are made, see <doc:Migrations>.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` with the reason if it can't be opened or
  ///   migrated, `.backwardMigration` for a newer store, or `.unknownDataStoreSchema`.
  public convenience init(
    _ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    guard let schema = configuration.schema else {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The configuration \(configuration.name) has no schema. Add a schema, or open the store "
          + "with ModelContainer(for:).")
    }
    try configuration.validate()
    try self.init(
      FileMigration(
        configuration, schema: schema, plan: try migrationPlan.map(PlanVersions.init)))
  }

  /// Opens a store after migrating it to the version of its models.
  convenience init(_ file: FileMigration) throws {
    let configuration = file.configuration
    func look() throws -> StoreFileCheck.Finding? {
      do {
        return try StoreFile.check(configuration).flatMap(file.run)
      } catch {
        throw StoreFailure.opening(error, at: configuration.url)
      }
    }
    var finding = try look()
    while true {
      do {
        try self.init(
          configuration, models: file.migration.models, finding: finding,
          version: file.migration.version)
        return
      } catch let refusal as SwiftDataError where refusal.reason == .schemaMismatch {
        // Another process may have created or migrated the file since, with other models.
        let latest = try look()
        if latest?.stored.metadata == finding?.stored.metadata { throw refusal }
        finding = latest
      }
    }
  }
}
