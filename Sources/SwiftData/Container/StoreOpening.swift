import Foundation

/// What the initialiser of a store, which only receives its configuration and the plan, may need to
/// know of the container that opens it.
package struct StoreOpeningOptions: Sendable {
  /// Whether the container has models that other stores contain.
  package let isPart: Bool
  /// Updated during a migration.
  package let progress: MigrationProgress?

  package init(isPart: Bool = false, progress: MigrationProgress? = nil) {
    self.isPart = isPart
    self.progress = progress
  }

  @TaskLocal package static var current = StoreOpeningOptions()
}

/// Opens one store per configuration and decides which store contains which entity.
package struct StoreOpening {
  let coordinator: ContainerCoordinator

  init(
    schema: Schema, configurations: [any DataStoreConfiguration],
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil, progress: MigrationProgress? = nil
  ) throws {
    try schema.validate()
    InverseWarning.note(schema)
    let plan = try migrationPlan.map(PlanVersions.init)
    var stores: [(store: any DataStore, entities: Set<String>)] = []
    var completed: Set<ModelConfiguration> = []
    var nameOfIdentifier: [String: String] = [:]
    try StoreOpening.check(configurations, in: schema, areAll: true)
    for (index, configuration) in configurations.enumerated() {
      let part = configuration.schema ?? schema
      progress?.begin(store: index, of: configurations.count)
      let store = try StoreOpening.open(
        configuration, part, of: schema, plan, migrationPlan, progress)
      if let other = nameOfIdentifier.updateValue(configuration.name, forKey: store.identifier) {
        throw StoreOpening.duplicate(store, configuration.name, other)
      }
      if (store as? any PortProviding)?.port is RelationalStore { UniquenessWarning.note(part) }
      stores.append((store, Set(part.entitiesByName.keys)))
      if var known = configuration as? ModelConfiguration {
        known.schema = part
        completed.insert(known)
      }
    }
    coordinator = ContainerCoordinator(
      schema: schema, stores: stores, configurations: completed, migrationPlan: migrationPlan)
    progress?.finish()
  }

  private static func open<C: DataStoreConfiguration>(
    _ configuration: C, _ part: Schema, of schema: Schema, _ plan: PlanVersions?,
    _ declaredPlan: (any SchemaMigrationPlan.Type)?, _ progress: MigrationProgress?
  ) throws -> any DataStore {
    var configuration = configuration
    configuration.schema = part
    try configuration.validate()
    if let model = configuration as? ModelConfiguration {
      if let other = try StoreSubstitution.configuration(for: model) {
        return try open(other, part, of: schema, plan, declaredPlan, progress)
      }
      return try DefaultStore(
        FileMigration(
          model, schema: part,
          isPart: part.entitiesByName.count < schema.entitiesByName.count, plan: plan,
          progress: progress))
    }
    let isPart = part.entitiesByName.count < schema.entitiesByName.count
    return try StoreOpeningOptions.$current.withValue(
      StoreOpeningOptions(isPart: isPart, progress: progress)
    ) {
      try C.Store(configuration, migrationPlan: declaredPlan)
    }
  }

  /// Identifiers of models and tokens of the history contain the identifier of their store, so they would name
  /// both stores.
  private static func duplicate(
    _ store: any DataStore, _ name: String, _ other: String
  ) -> SwiftDataError {
    let advice =
      store is any PortProviding
      ? "Both are one database, or one is a copy of the other. Use one configuration with the models of "
        + "both, or make the copy anew with an identifier of its own: StoreCopy with keepsIdentifier = "
        + "false, or the option --new-identifier of the command copy."
      : "Use one configuration with the models of both, or give each store an identifier of its own."
    return SwiftDataError.duplicateConfiguration.with(
      "The stores of the configurations \(other) and \(name) have the same identifier, "
        + "\(store.identifier). \(advice)")
  }

  /// Checks that the configurations have different names and files, that each has only models of the
  /// container, with the same classes, and that no model refers to another store. Openings and
  /// previews of migrations call it before they read a store.
  /// - Parameter areAll: Whether every model needs one of these configurations. A preview is given
  ///   the stores of one kind only.
  /// - Throws: `SwiftDataError.duplicateConfiguration`,
  ///   `.configurationSchemaNotFoundInContainerSchema` or `.loadIssueModelContainer`.
  package static func check(
    _ configurations: [any DataStoreConfiguration], in schema: Schema, areAll: Bool
  ) throws {
    var names: Set<String> = []
    var nameOfFile: [String: String] = [:]
    for configuration in configurations {
      guard names.insert(configuration.name).inserted else {
        throw SwiftDataError.duplicateConfiguration.with(
          "Two configurations are named \(configuration.name). Give each store a different name.")
      }
      if let path = (configuration as? any FileStoreConfiguration)?.storePath {
        if let other = nameOfFile.updateValue(configuration.name, forKey: path) {
          throw SwiftDataError.duplicateConfiguration.with(
            "The configurations \(other) and \(configuration.name) have the same file, \(path). Use one "
              + "configuration with the models of both, or give each its own file.")
        }
      }
      guard let part = configuration.schema else { continue }
      try check(part, in: schema, configuration.name)
    }
    try checkLinks(
      schema, configurations.map { Set(($0.schema ?? schema).entitiesByName.keys) },
      areAll: areAll)
  }

  private static func check(_ part: Schema, in schema: Schema, _ name: String) throws {
    for entity in part.entities {
      guard let known = schema.entitiesByName[entity.name] else {
        throw SwiftDataError.configurationSchemaNotFoundInContainerSchema.with(
          "The configuration \(name) has the model \(entity.name), but the container does not. Add it to "
            + "ModelContainer(for:).", entity: entity.name)
      }
      // A decoded schema has no classes.
      guard let type = entity.modelType, let knownType = known.modelType, type != knownType else {
        continue
      }
      throw SwiftDataError.configurationSchemaNotFoundInContainerSchema.with(
        "The configuration \(name) has the class \(String(reflecting: type)), but the container has "
          + "\(String(reflecting: knownType)) for this entity. List the same class in both.",
        entity: entity.name)
    }
  }

  /// Relationships can't refer from one store to another, and every entity needs a store.
  private static func checkLinks(
    _ schema: Schema, _ parts: [Set<String>], areAll: Bool
  ) throws {
    func index(_ name: String) -> Int? { parts.firstIndex { $0.contains(name) } }
    for entity in schema.entities {
      guard let home = index(entity.name) else {
        guard areAll else { continue }
        throw SwiftDataError.loadIssueModelContainer.with(
          "No configuration stores this model. Add the model to the schema of a configuration.",
          entity: entity.name)
      }
      if let superentity = entity.superentity, index(superentity.name) != home {
        throw SwiftDataError.loadIssueModelContainer.with(
          "The superclass \(superentity.name) is in another store. Put a class and its superclass into one "
            + "configuration.", entity: entity.name)
      }
      for relationship in entity.relationships where index(relationship.destination) != home {
        throw SwiftDataError.loadIssueModelContainer.with(
          "The relationship refers to \(relationship.destination), which is in another store. "
            + "Put both models into one configuration.", entity: entity.name,
          property: relationship.name)
      }
    }
  }
}
