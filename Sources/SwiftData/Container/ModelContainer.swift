import Synchronization

/// The stores of a schema, and the contexts that use them.
///
/// May be used from any thread, unlike its contexts; see <doc:Concurrency>.
public class ModelContainer: Equatable, @unchecked Sendable {
  /// The models of the container.
  public let schema: Schema
  /// The plan for migrating stores of older versions.
  public let migrationPlan: (any SchemaMigrationPlan.Type)?

  /// The configurations of the default stores.
  public var configurations: Set<ModelConfiguration> {
    get { coordinator.configurations.withLock { $0 } }
    set { coordinator.configurations.withLock { $0 = newValue } }
  }

  /// The open stores, in the order of the configurations.
  package var stores: [any DataStore] { coordinator.stores }

  let coordinator: ContainerCoordinator

  // Created and read on the main actor; moved only in the initialiser and the deinitialiser.
  nonisolated(unsafe) private var knownMainContext: ModelContext?

  /// The context of the main actor, created at the first use. It autosaves, and has no undo
  /// manager.
  ///
  /// The container holds the context, but the context does not hold the container: the stores are
  /// closed with the last reference to both. A context that outlives the container keeps working.
  @MainActor public var mainContext: ModelContext {
    if let knownMainContext { return knownMainContext }
    let context = ModelContext(mainOf: self) { [coordinator] in
      ModelContainer(coordinator, mainContext: $0)
    }
    context.core.executor = .mainActor
    context.autosaveEnabled = true
    // Runs after the save of another context, on the actor of the main context.
    let reference = ContextReference(context)
    context.core.externalChanges.feed.onArrival {
      Task { @MainActor in reference.context?.core.externalChanges.applyNew() }
    }
    knownMainContext = context
    return context
  }

  init(_ coordinator: ContainerCoordinator, mainContext: ModelContext? = nil) {
    schema = coordinator.ownSchema
    migrationPlan = coordinator.migrationPlan
    self.coordinator = coordinator
    knownMainContext = mainContext
  }

  /// Models of the main context may be in use on its actor, so the context is released there.
  deinit {
    guard let knownMainContext, ContextExecutor.current == nil else { return }
    let last = LastReference(knownMainContext)
    self.knownMainContext = nil
    Task { @MainActor in last.release() }
  }

  /// Opens the stores for some model classes.
  ///
  /// ```swift
  /// let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
  /// let container = try ModelContainer(for: Trip.self, Stop.self, configurations: configuration)
  /// ```
  ///
  /// Classes that relationships refer to need not be listed; subclasses must be. A missing file is
  /// created in one transaction, with its folder. Of an existing file that needs no migration, the
  /// description is read, and no rows of models unless an index has to be built. See
  /// <doc:GettingStarted>.
  /// - Parameters:
  ///   - forTypes: The model classes.
  ///   - migrationPlan: How stores of older versions are migrated.
  ///   - configurations: One per store; without any, the default store is opened.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` for models that cannot be stored and files
  ///   that cannot be opened or migrated, `.unknownDataStoreSchema` and `.backwardMigration` for
  ///   files of other versions, `.duplicateConfiguration`,
  ///   `.configurationSchemaNotFoundInContainerSchema`, or another error about a configuration.
  public convenience init(
    for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(
      for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores of a schema.
  /// - Throws: `SwiftDataError` for faulty models, configurations or files.
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
  ///   - migrationPlan: How stores of older versions are migrated.
  ///   - configurations: One per store; without any, the default store is opened.
  /// - Throws: `SwiftDataError` for faulty models, configurations or files.
  public init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration]
  ) throws {
    schema = givenSchema
    self.migrationPlan = migrationPlan
    coordinator = try ModelContainer.open(givenSchema, migrationPlan, configurations)
  }

  /// Opens the stores of a schema, and reports the progress of their migration.
  ///
  /// Not in Apple's framework.
  /// - Parameters:
  ///   - givenSchema: The models.
  ///   - migrationPlan: How stores of older versions are migrated.
  ///   - configurations: One per store; without any, the default store is opened.
  ///   - migrationProgress: Updated during the migration, on the thread that creates the container.
  /// - Throws: `SwiftDataError` for faulty models, configurations or files.
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
    _ configurations: [any DataStoreConfiguration], _ progress: MigrationProgress? = nil
  ) throws -> ContainerCoordinator {
    try StoreOpening(
      schema: schema,
      configurations: configurations.isEmpty ? [ModelConfiguration()] : configurations,
      migrationPlan: plan, progress: progress
    ).coordinator
  }

  /// Opens stores of any kind for some model classes.
  /// - Throws: `SwiftDataError`, or the error of a store.
  @_disfavoredOverload
  public convenience init(
    for forTypes: any PersistentModel.Type..., configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(for: Schema(forTypes), configurations: configurations)
  }

  /// Opens stores of any kind for a schema.
  /// - Throws: `SwiftDataError`, or the error of a store.
  @_disfavoredOverload
  public init(for givenSchema: Schema, configurations: [any DataStoreConfiguration]) throws {
    schema = givenSchema
    migrationPlan = nil
    coordinator = try ModelContainer.open(givenSchema, nil, configurations)
  }

  /// Opens stores of any kind for a schema, and gives each the migration plan.
  ///
  /// Not in Apple's framework. ``DataStore/init(_:migrationPlan:)`` receives the plan.
  /// - Parameters:
  ///   - givenSchema: The models.
  ///   - migrationPlan: How stores of older versions are migrated.
  ///   - configurations: One per store; without any, the default store is opened.
  /// - Throws: `SwiftDataError`, or the error of a store.
  @_disfavoredOverload
  public init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?,
    configurations: [any DataStoreConfiguration]
  ) throws {
    schema = givenSchema
    self.migrationPlan = migrationPlan
    coordinator = try ModelContainer.open(givenSchema, migrationPlan, configurations)
  }

  /// The identifier of the store of a configuration.
  /// - Parameter name: The name of the configuration; `default` for one without a name.
  /// - Returns: The identifier, as in `PersistentIdentifier.storeIdentifier`; `nil` if the
  ///   container has no such configuration.
  public func storeIdentifier(forConfigurationNamed name: String) -> String? {
    coordinator.stores.first { $0.configuration.name == name }?.identifier
  }

  /// The name of the configuration of a store.
  /// - Parameter identifier: The identifier of the store, as in
  ///   `PersistentIdentifier.storeIdentifier`.
  /// - Returns: `nil` if the container has no such store.
  public func configurationName(forStoreIdentifier identifier: String) -> String? {
    coordinator.stores.first { $0.identifier == identifier }?.configuration.name
  }

  /// Whether both are the same container.
  public static func == (lhs: ModelContainer, rhs: ModelContainer) -> Bool { lhs === rhs }

  /// Deletes all models of all stores; errors are ignored.
  @available(swift, deprecated: 100, renamed: "erase")
  public func deleteAllData() { try? erase() }

  /// Deletes all models of all stores. Contexts see the deletion at their next fetch.
  ///
  /// A store that was opened with `allowsSave: false` makes it throw before anything is deleted. The stores
  /// are erased one after the other.
  /// - Throws: The error of a store. ``SwiftDataError/committedStores`` names the stores before it, which are
  ///   erased then.
  public func erase() throws {
    try coordinator.requireOpen()
    for port in coordinator.ports { try port.requireWritable() }
    defer {
      coordinator.changeLog.add(.everything, by: nil)
      coordinator.commits.fire()
    }
    let names = coordinator.stores.map { $0.configuration.name }
    for (index, store) in coordinator.stores.enumerated() {
      do {
        try store.erase()
      } catch {
        if index == 0 { throw error }
        throw SwiftDataError.partiallyErased(
          names.prefix(index), pending: names.dropFirst(index), error)
      }
    }
  }
}

/// Moves the last reference to a context to the context's actor.
private final class LastReference: @unchecked Sendable {
  private var context: ModelContext?

  init(_ context: ModelContext) { self.context = context }

  @MainActor func release() { context = nil }
}

extension ModelContainer {
  /// Saves immediately what autosave would save later, in every context of the container.
  ///
  /// Await it before a program ends, so that no changes are lost:
  ///
  /// ```swift
  /// container.mainContext.insert(Trip(name: "Faro", start: .now))
  /// try await container.settle()
  /// ```
  ///
  /// Each context is saved on its actor. Contexts without autosave are not saved.
  /// - Throws: The first error, after all contexts have been tried; their changes stay pending.
  public func settle() async throws {
    try await coordinator.autosaves.settle()
  }
}
