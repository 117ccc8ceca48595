/// A unit of work: fetches models, tracks changes, and saves them in one transaction per store.
///
/// Not thread safe: a context and its models belong to one thread, queue or actor.
public class ModelContext: Equatable, SendableMetatype {
  let core: ContextCore

  /// The container whose stores the context uses.
  ///
  /// A container holds its main context, but the main context does not hold the container. If it
  /// outlives the container, this property returns another container for the same stores.
  public var container: ModelContainer {
    if let known = ownedContainer ?? holder { return known }
    let container = makeContainer(self)
    holder = container
    return container
  }

  private let ownedContainer: ModelContainer?
  private weak var holder: ModelContainer?
  private let makeContainer: (ModelContext) -> ModelContainer

  /// The author of changes, which stores get with each request and record in the history.
  public var author: String? {
    get { core.stores.editingState.author }
    set { core.stores.editingState.author = newValue }
  }

  /// A name of the context, such as the screen or the job it serves; recorded in the history.
  ///
  /// It is the ``DefaultHistoryTransaction/contextName`` of each transaction that the context
  /// saves. Not in Apple's framework.
  public var name: String? {
    get { core.stores.editingState.contextName }
    set { core.stores.editingState.contextName = newValue }
  }

  /// Identifies this context to its stores.
  public var editingState: EditingState {
    get { core.stores.editingState }
    set { core.stores.editingState = newValue }
  }

  /// Creates a context without changes, for the stores of `container`.
  public convenience init(_ container: ModelContainer) {
    self.init(
      coordinator: container.coordinator, holding: container, ownedBy: nil,
      makeContainer: { _ in container })
  }

  /// Creates the main context of a container.
  /// - Parameter revive: Creates another container for the stores if the first one is deallocated.
  convenience init(
    mainOf container: ModelContainer, makeContainer: @escaping (ModelContext) -> ModelContainer
  ) {
    self.init(
      coordinator: container.coordinator, holding: nil, ownedBy: container,
      makeContainer: makeContainer)
  }

  private init(
    coordinator: any StoreCoordinator, holding held: ModelContainer?,
    ownedBy holder: ModelContainer?, makeContainer: @escaping (ModelContext) -> ModelContainer
  ) {
    ownedContainer = held
    self.holder = holder
    self.makeContainer = makeContainer
    core = ContextCore(coordinator: coordinator)
    core.face = self
  }

  deinit { core.close() }

  /// Whether both are the same context.
  public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool { lhs === rhs }

  /// Whether there are unsaved changes, including those that the next save refuses.
  public var hasChanges: Bool { !core.changes.isEmpty || !core.refusedEdits.isEmpty }

  /// New models that have not been saved, in the order of insertion.
  public var insertedModelsArray: [any PersistentModel] {
    core.changes.inserted.compactMap(\.persistentModel)
  }

  /// Stored models with unsaved changes.
  public var changedModelsArray: [any PersistentModel] {
    core.changes.changed.compactMap(\.persistentModel)
  }

  /// Models that the next save deletes.
  public var deletedModelsArray: [any PersistentModel] {
    core.recorder.rowsToDelete.compactMap(\.persistentModel)
  }

  /// Adds a model, and all new models reachable through its relationships, to the next save.
  ///
  /// ```swift
  /// let trip = Trip(name: "Lisbon", start: .now)
  /// context.insert(trip)
  /// trip.stops.append(Stop(place: "Belém"))
  /// try context.save()
  /// ```
  ///
  /// Runs no statement for a new model. If it has the unique values of a stored row, the save updates that
  /// row. A model that is already in the context is not changed, but its deletion is taken back. A
  /// model that is new in another context, or whose class the schema lacks, makes each save throw
  /// until ``delete(_:)`` takes the insertion back. See <doc:GettingStarted> and <doc:Errors>.
  ///
  /// A model whose deletion was saved can be inserted again and gets a new row. Models that its to-one
  /// relationships refer to are looked up; a relationship whose model was deleted too becomes nil.
  /// A model whose row was deleted by another context before its values were read makes saves throw too.
  public func insert<T>(_ model: T) where T: PersistentModel {
    let storage = model._$storage
    if core.stores.isSaving, storage.flags.contains(.isDeleted) {
      return core.postpone { [core] in core.graph.insert(model._$storage, in: core) }
    }
    core.graph.insert(storage, in: core)
  }

  /// Marks a model for deletion. The next save deletes it and applies the delete rules.
  ///
  /// ```swift
  /// context.delete(trip)
  /// try context.save()
  /// ```
  ///
  /// Runs no statement. The save applies the delete rules to the rows, with one statement for each
  /// relationship and level, and loads no models. A model that was never saved leaves the context.
  /// ``delete(model:where:includeSubclasses:)`` deletes rows without fetching models first. A rule
  /// that denies the deletion makes the save throw `SwiftDataError.modelValidationFailure`; so does a
  /// model of another context, until it is deleted. See <doc:Errors>.
  public func delete<T>(_ model: T) where T: PersistentModel {
    if core.stores.isSaving {
      return core.postpone { [core] in core.graph.delete(model._$storage) }
    }
    core.graph.delete(model._$storage)
  }

  /// Saves all changes, in one transaction per store.
  ///
  /// ```swift
  /// do {
  ///   try context.save()
  /// } catch SwiftDataError.modelValidationFailure {
  ///   context.rollback()
  /// }
  /// ```
  ///
  /// Writes one row for each new, changed or deleted model; of changed models only the changed
  /// columns. New models with several unique constraints are looked up first, with up to one
  /// statement for each constraint. Without changes nothing runs. Delete rules, required
  /// relationships, numbers of members, unique values and the rows that links refer to are checked
  /// against what is stored when the save has the write lock, whichever writer stored it. Edits by
  /// code that the save calls, such as that of a custom store, stay unsaved. A link to
  /// a row that another writer has deleted becomes nil, and is named in ``didOverwrite``; if it is
  /// required, the save throws.
  ///
  /// After an error nothing is saved and the context keeps its changes. Change what the error names
  /// and save again; or revert one model by setting its values, or with `insert` after a deletion;
  /// or revert all changes with ``rollback()``. Only a save of several stores can be stored in
  /// part: ``SwiftDataError/committedStores`` names the stores whose models are saved, and the rest
  /// stays unsaved. See <doc:Errors>, and <doc:Concurrency> for what other contexts see of a save.
  /// - Throws: `SwiftDataError.modelValidationFailure` for models that break a rule of the schema,
  ///   `SwiftDataError.unknownSchema` for a class that the schema lacks,
  ///   `SwiftDataError.saveConflict` and `.uniquenessViolation` if the policies of the context say
  ///   so, or the store's error.
  public func save() throws { try core.save() }

  /// Discards all unsaved changes and restores the values of the last save in live models.
  ///
  /// ```swift
  /// trip.name = "Nowhere"
  /// context.rollback()
  /// ```
  ///
  /// New models leave the context with their current values, and can be inserted again. Runs no
  /// statement, unless saves of other contexts have to be applied. See <doc:Errors>.
  public func rollback() {
    if core.stores.isSaving { return core.postpone { [core] in core.rollback() } }
    core.rollback()
  }

  /// Runs `block` and saves its changes in one transaction; undoes all of it if `block` throws.
  ///
  /// ```swift
  /// try context.transaction {
  ///   let trip = try context.fetch(FetchDescriptor<Trip>()).first
  ///   trip?.name += " again"
  /// }
  /// ```
  ///
  /// The transaction holds the write lock of each store from the beginning: no other writer can
  /// change what the block fetches or its models show, until it ends. Saves inside it are stored
  /// together. An error of the block or of the last save undoes everything, in the stores and in
  /// the models, including unsaved changes from before the block. A transaction inside another one
  /// is part of it: if the inner one fails, the outer one throws at its end. Other contexts and
  /// observers of `didSave` are notified after the commit.
  ///
  /// It waits for other writers as a save does; ``transaction(waitingAtMost:block:)`` sets a limit.
  /// Stores that implement the public ``DataStore`` protocol have no transactions: what the block
  /// saves there cannot be undone. Another context must not save on the same thread inside the
  /// block, and reads what is committed; in a store in memory its reads throw after a save. See
  /// <doc:Concurrency>.
  /// - Throws: Errors of `block` or of the save, or `SwiftDataError.storeWriteFailure` if another
  ///   writer keeps the lock; then the block has not run.
  public func transaction(block: () throws -> Void) throws {
    try core.transaction(within: nil, block)
  }

  /// Runs `block` in one transaction, like ``transaction(block:)``, with a limit for the time to
  /// wait for other writers.
  ///
  /// ```swift
  /// try context.transaction(waitingAtMost: .seconds(1)) { trip.name += " once more" }
  /// ```
  ///
  /// Not in Apple's framework.
  /// - Parameters:
  ///   - limit: How long to wait for other threads of the process, and again for other processes.
  ///   - block: The code to run.
  /// - Throws: Errors of `block` or of the save, or `SwiftDataError.storeWriteFailure` after the
  ///   limit; then the block has not run.
  public func transaction(waitingAtMost limit: Duration, block: () throws -> Void) throws {
    try core.transaction(within: limit, block)
  }

  /// Runs several reads that see one state of the stores: fetches, faults and relationships.
  ///
  /// ```swift
  /// let (trips, stops) = try context.snapshot {
  ///   try (context.fetch(FetchDescriptor<Trip>()), context.fetchCount(FetchDescriptor<Stop>()))
  /// }
  /// ```
  ///
  /// Writers are not blocked, except for those of a store in memory, which has one connection. What
  /// other contexts save meanwhile is applied after `body`. Saving, deleting by predicate and
  /// `transaction` throw inside it; in a store in memory those of another context too. Models in memory keep their values until a fetch reads their
  /// rows. A single fetch always sees one state. With several stores, each has its own state. Not
  /// in Apple's framework.
  /// - Throws: Errors of `body`, or the store's error.
  public func snapshot<R>(_ body: () throws -> R) throws -> R {
    try core.snapshot(from: .now, body)
  }
}

@available(*, unavailable, message: "A context belongs to one thread, queue or actor.")
extension ModelContext: @unchecked Sendable {}

extension ModelContext: CustomDebugStringConvertible {
  /// The number of pending changes of each kind.
  public var debugDescription: String {
    """
    ModelContext(inserted: \(core.changes.inserted.size), changed: \(core.changes.changed.size), \
    deleted: \(core.changes.deleted.size))
    """
  }
}
