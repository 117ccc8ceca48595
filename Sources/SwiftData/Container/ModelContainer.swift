import Synchronization

/// The stores of a schema, and the contexts that work on them.
///
/// May be used from any thread; its contexts may not, see <doc:Concurrency>.
public class ModelContainer: Equatable, @unchecked Sendable {
  /// The models of the container.
  public let schema: Schema
  /// How stores of older versions are brought up to date.
  public let migrationPlan: (any SchemaMigrationPlan.Type)?

  /// The configurations of the default stores.
  public var configurations: Set<ModelConfiguration> {
    get { coordinator.configurations.withLock { $0 } }
    set { coordinator.configurations.withLock { $0 = newValue } }
  }

  /// The open stores, in the order of the configurations.
  package var stores: [any DataStore] { coordinator.stores }

  let coordinator: ContainerCoordinator

  // Made and read on the main actor; handed over in the initialiser and the deinitialiser only.
  nonisolated(unsafe) private var knownMainContext: ModelContext?

  /// The context of the main actor, made on first use; it autosaves, and has no undo manager.
  ///
  /// The container holds it, and it does not hold the container: with the last reference to both, the
  /// stores are closed. A context that is held alone keeps working.
  @MainActor public var mainContext: ModelContext {
    if let knownMainContext { return knownMainContext }
    let context = ModelContext(mainOf: self) { [coordinator] in
      ModelContainer(coordinator, mainContext: $0)
    }
    context.core.executor = .mainActor
    context.autosaveEnabled = true
    // Runs soon after the save of another context, on the actor that the main context belongs to.
    let reference = ContextReference(context)
    context.core.onExternalChange {
      Task { @MainActor in reference.context?.core.applyExternalChanges() }
    }
    knownMainContext = context
    return context
  }

  init(_ coordinator: ContainerCoordinator, mainContext: ModelContext? = nil) {
    schema = coordinator.schema
    migrationPlan = coordinator.migrationPlan
    self.coordinator = coordinator
    knownMainContext = mainContext
  }

  /// The main context may have models in use on its actor, so it is let go there.
  deinit {
    guard let knownMainContext, ContextExecutor.current == nil else { return }
    let last = LastReference(knownMainContext)
    self.knownMainContext = nil
    Task { @MainActor in last.release() }
  }

  /// Opens the stores of some model classes.
  ///
  /// ```swift
  /// let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
  /// let container = try ModelContainer(for: Trip.self, Stop.self, configurations: configuration)
  /// ```
  ///
  /// Classes that relationships lead to need not be named, subclasses must be. A missing file is made in
  /// one transaction, with its folder; of an existing one the description is read, and no row of a model
  /// unless an index has to be built. See <doc:GettingStarted>.
  /// - Parameters:
  ///   - forTypes: The model classes.
  ///   - migrationPlan: How stores of older versions are brought up to date.
  ///   - configurations: One per store; none makes the default store.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` for models that cannot be stored and files that
  ///   cannot be opened or do not fit the models, `.duplicateConfiguration`,
  ///   `.configurationSchemaNotFoundInContainerSchema`, or another error about a configuration.
  public convenience init(
    for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(
      for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores of a schema.
  /// - Throws: `SwiftDataError`, naming what is wrong with models, configurations or files.
  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(
      for: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores of a schema.
  /// - Parameters:
  ///   - givenSchema: The models.
  ///   - migrationPlan: How stores of older versions are brought up to date.
  ///   - configurations: One per store; none makes the default store.
  /// - Throws: `SwiftDataError`, naming what is wrong with models, configurations or files.
  public init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration]
  ) throws {
    schema = givenSchema
    self.migrationPlan = migrationPlan
    coordinator = try ModelContainer.open(givenSchema, migrationPlan, configurations)
  }

  /// Opens the stores of a schema, and tells how far their migration is.
  ///
  /// Not in Apple's framework.
  /// - Parameters:
  ///   - givenSchema: The models.
  ///   - migrationPlan: How stores of older versions are brought up to date.
  ///   - configurations: One per store; none makes the default store.
  ///   - migrationProgress: Told how far the migration is, from the thread that makes the container.
  /// - Throws: `SwiftDataError`, naming what is wrong with models, configurations or files.
  public init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?,
    configurations: [ModelConfiguration], migrationProgress: MigrationProgress?
  ) throws {
    schema = givenSchema
    self.migrationPlan = migrationPlan
    coordinator = try ModelContainer.open(
      givenSchema, migrationPlan, configurations, migrationProgress)
  }

  private static func open(
    _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?,
    _ configurations: [ModelConfiguration], _ progress: MigrationProgress? = nil
  ) throws -> ContainerCoordinator {
    try StoreOpening(
      schema: schema,
      configurations: configurations.isEmpty ? [ModelConfiguration()] : configurations,
      migrationPlan: plan, progress: progress
    ).coordinator
  }

  /// Opens stores of any kind for some model classes.
  /// - Throws: `SwiftDataError`, or what a store throws.
  @_disfavoredOverload
  public convenience init(
    for forTypes: any PersistentModel.Type..., configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(for: Schema(forTypes), configurations: configurations)
  }

  /// Opens stores of any kind for a schema.
  /// - Throws: `SwiftDataError`, or what a store throws.
  @_disfavoredOverload
  public init(for givenSchema: Schema, configurations: [any DataStoreConfiguration]) throws {
    let opening = try StoreOpening(
      schema: givenSchema,
      configurations: configurations.isEmpty ? [ModelConfiguration()] : configurations)
    schema = givenSchema
    migrationPlan = nil
    coordinator = opening.coordinator
  }

  /// The identifier of the store of a configuration.
  /// - Parameter name: The name of the configuration; that of one without a name is `default`.
  /// - Returns: The UUID that `PersistentIdentifier.storeIdentifier` has; `nil` where the container has no
  ///   such configuration.
  public func storeIdentifier(forConfigurationNamed name: String) -> String? {
    coordinator.stores.first { $0.configuration.name == name }?.identifier
  }

  /// The name of the configuration of a store.
  /// - Parameter identifier: The identifier of the store, as `PersistentIdentifier.storeIdentifier` has it.
  /// - Returns: `nil` where the container has no such store.
  public func configurationName(forStoreIdentifier identifier: String) -> String? {
    coordinator.stores.first { $0.identifier == identifier }?.configuration.name
  }

  /// Whether both are the same container.
  public static func == (lhs: ModelContainer, rhs: ModelContainer) -> Bool { lhs === rhs }

  /// Deletes all models of all stores; a failure is not reported.
  @available(*, deprecated, renamed: "erase")
  public func deleteAllData() { try? erase() }

  /// Deletes all models of all stores. Contexts find their models deleted at their next fetch.
  /// - Throws: What a store throws.
  public func erase() throws {
    defer {
      coordinator.changeLog.add(.everything, by: nil)
      coordinator.commits.fire()
    }
    for store in coordinator.stores { try store.erase() }
  }
}

/// Carries the last reference to a context to its actor.
private final class LastReference: @unchecked Sendable {
  private var context: ModelContext?

  init(_ context: ModelContext) { self.context = context }

  @MainActor func release() { context = nil }
}
