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
  ///
  /// Another process may create or migrate the file between the migration and the opening, with other models. Then
  /// both are tried again, five times in all.
  convenience init(_ file: FileMigration) throws {
    let configuration = file.configuration
    var migrations = 0
    func look(isFirst: Bool = false) throws -> StoreFileCheck.Finding? {
      do {
        guard let found = try StoreFile.check(configuration) else { return nil }
        if !isFirst, configuration.allowsSave, configuration.allowsMigration,
          case .migrate = try file.migration.decision(found.stored)
        {
          migrations += 1
        }
        return try file.run(found)
      } catch {
        throw StoreFailure.opening(error, at: configuration.url)
      }
    }
    var finding = try look(isFirst: true)
    var pause = 0.005
    while true {
      do {
        try self.init(
          configuration, models: file.migration.models, finding: finding,
          version: file.migration.version)
        return
      } catch let refusal as SwiftDataError where refusal.reason == .schemaMismatch {
        guard pause < 0.08 else {
          if migrations == 0 { throw refusal }
          throw SwiftDataError.loadIssueModelContainer.with(
            "The store at \(configuration.url.path) was migrated by other processes, to other models, each time when "
              + "it was opened. Stop the processes with other models, and open it again.",
            doing: "opening a store", because: .schemaMismatch)
        }
        Thread.sleep(forTimeInterval: pause)
        pause *= 2
        finding = try look()
      }
    }
  }
}
