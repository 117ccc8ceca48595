extension ModelContainer {
  /// Returns what opening the stores of a schema would change, and changes nothing.
  ///
  /// ```swift
  /// for preview in try ModelContainer.migrationPreview(
  ///   for: Schema(versionedSchema: TripsV2.self), migrationPlan: TripsPlan.self,
  ///   configurations: [ModelConfiguration(url: file)])
  /// where preview.isNeeded {
  ///   print(preview)
  /// }
  /// ```
  ///
  /// No byte of the files is changed, and no file is created. Code of custom stages is not run, so
  /// later stages are planned but not checked. Rows that may prevent the first stage are counted,
  /// which reads their tables. Not in Apple's framework.
  /// - Parameters:
  ///   - schema: The models.
  ///   - migrationPlan: The plan that the container would use.
  ///   - configurations: The stores; empty for the default store.
  /// - Returns: One preview per store, in the order of the configurations.
  /// - Throws: The error of creating the container, for a store that cannot be migrated:
  ///   `SwiftDataError.unknownDataStoreSchema`, `.backwardMigration` or `.loadIssueModelContainer`; for
  ///   configurations that do not fit the schema `.configurationSchemaNotFoundInContainerSchema` or
  ///   `.duplicateConfiguration`.
  public static func migrationPreview(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration] = []
  ) throws -> [MigrationPreview] {
    try schema.validate()
    let plan = try migrationPlan.map(PlanVersions.init)
    let configurations = configurations.isEmpty ? [ModelConfiguration()] : configurations
    try StoreOpening.check(configurations, in: schema, areAll: false)
    return try configurations.map {
      let part = $0.schema ?? schema
      let migration = try FileMigration(
        $0, schema: part, isPart: part.entitiesByName.count < schema.entitiesByName.count,
        plan: plan)
      return try MigrationPreviewBuilder(file: migration).preview()
    }
  }
}
