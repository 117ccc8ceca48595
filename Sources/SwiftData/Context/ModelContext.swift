/// A unit of work: fetches models, tracks what changes, and saves it as one transaction per store.
///
/// Not thread safe: a context and its models belong to one thread, queue or actor.
public class ModelContext: Equatable, SendableMetatype {
  let core: ContextCore

  /// The container whose stores the context works on.
  ///
  /// The main context is held by its container and does not hold it. Where it outlives the container,
  /// another one for the same stores takes its place.
  public var container: ModelContainer {
    if let known = heldContainer ?? holder { return known }
    let container = revive(self)
    holder = container
    return container
  }

  private let heldContainer: ModelContainer?
  private weak var holder: ModelContainer?
  private let revive: (ModelContext) -> ModelContainer

  /// A name for who makes the changes, which stores get with each request.
  public var author: String? {
    get { core.editingState.author }
    set { core.editingState.author = newValue }
  }

  /// A name of the context, such as that of the screen or the job it serves, which the history keeps.
  ///
  /// Each transaction that the context saves has it as its ``DefaultHistoryTransaction/contextName``, as it
  /// has the ``author``. Not in Apple's framework.
  public var name: String? {
    get { core.editingState.contextName }
    set { core.editingState.contextName = newValue }
  }

  /// The identity of this context towards its stores.
  public var editingState: EditingState {
    get { core.editingState }
    set { core.editingState = newValue }
  }

  /// Makes a context without changes on the stores of `container`.
  public convenience init(_ container: ModelContainer) {
    self.init(
      coordinator: container.coordinator, holding: container, heldBy: nil,
      revive: { _ in container })
  }

  /// Makes the main context of a container.
  /// - Parameter revive: Makes another container for the stores when the first one is deallocated.
  convenience init(
    mainOf container: ModelContainer, revive: @escaping (ModelContext) -> ModelContainer
  ) {
    self.init(
      coordinator: container.coordinator, holding: nil, heldBy: container, revive: revive)
  }

  private init(
    coordinator: any StoreCoordinator, holding held: ModelContainer?,
    heldBy holder: ModelContainer?, revive: @escaping (ModelContext) -> ModelContainer
  ) {
    heldContainer = held
    self.holder = holder
    self.revive = revive
    core = ContextCore(coordinator: coordinator)
    core.face = self
    core.open()
  }

  deinit { core.close() }

  /// Whether both are the same context.
  public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool { lhs === rhs }

  /// Whether there are changes that no save has stored.
  public var hasChanges: Bool { !core.changes.isEmpty }

  /// New models that no save has stored, in the order of insertion.
  public var insertedModelsArray: [any PersistentModel] {
    core.changes.inserted.compactMap(\.persistentModel)
  }

  /// Stored models with unsaved changes.
  public var changedModelsArray: [any PersistentModel] {
    core.changes.changed.compactMap(\.persistentModel)
  }

  /// Models that the next save deletes.
  public var deletedModelsArray: [any PersistentModel] {
    core.rowsToDelete.compactMap(\.persistentModel)
  }

  /// Adds a model, and all new models it reaches through relationships, to the next save.
  ///
  /// ```swift
  /// let trip = Trip(name: "Lisbon", start: .now)
  /// context.insert(trip)
  /// trip.stops.append(Stop(place: "Belém"))
  /// try context.save()
  /// ```
  ///
  /// Runs no statement. Where the model has the unique values of a stored one, the save updates that
  /// row. A model that the context has already is left as it is; one that is new in another context,
  /// or whose class the schema lacks, makes the next save throw. See <doc:GettingStarted>.
  public func insert<T>(_ model: T) where T: PersistentModel {
    core.insert(model._$storage)
  }

  /// Marks a model for deletion by the next save; delete rules are applied then.
  ///
  /// ```swift
  /// context.delete(trip)
  /// try context.save()
  /// ```
  ///
  /// Runs no statement. The save applies the delete rules to the rows, with one statement for each relationship
  /// and level, and loads no models. A model that was not saved yet leaves the context.
  /// ``delete(model:where:includeSubclasses:)`` deletes rows without fetching models first. A rule that
  /// denies the deletion makes the save throw `SwiftDataError.modelValidationFailure`; see <doc:Errors>.
  public func delete<T>(_ model: T) where T: PersistentModel {
    core.delete(model._$storage)
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
  /// Writes one row for each new, changed or deleted model, changed ones with their changed columns only.
  /// New models with several unique constraints are looked up first, with one statement for each.
  /// Without changes nothing runs. Delete rules, required relationships, numbers of members, unique values and
  /// the rows that links lead to are judged by what is stored when the save has the write lock, whoever
  /// wrote it. A link to a row that others have deleted becomes nil, and is named in
  /// ``didOverwrite``; where it is required, the save throws.
  ///
  /// After an error nothing is saved and the context keeps its changes. Change what the error names and save
  /// again, take one model back by setting its values or with `insert` for a deletion, or take all back with
  /// ``rollback()``. Only a save of several stores can be stored in part:
  /// ``SwiftDataError/committedStores`` names the stores whose models are saved, and the rest stays unsaved.
  /// See <doc:Errors>, and <doc:Concurrency> for what other contexts see of a save.
  /// - Throws: `SwiftDataError.modelValidationFailure` for models that break a rule of the schema,
  ///   `SwiftDataError.unknownSchema` for a class that the schema lacks, `SwiftDataError.saveConflict` and
  ///   `.uniquenessViolation` where the policies of the context say so, or the store's error.
  public func save() throws { try core.save() }

  /// Discards all unsaved changes and gives live models the values of the last save back.
  ///
  /// ```swift
  /// trip.name = "Nowhere"
  /// context.rollback()
  /// ```
  ///
  /// New models leave the context with the values they have, and can be inserted again. Runs no
  /// statement. See <doc:Errors>.
  public func rollback() { core.rollback() }

  /// Runs `block` and saves what it changed, in one transaction; undoes all of it when `block` throws.
  ///
  /// ```swift
  /// try context.transaction {
  ///   let trip = try context.fetch(FetchDescriptor<Trip>()).first
  ///   trip?.name += " again"
  /// }
  /// ```
  ///
  /// The transaction has the write lock of each store from the beginning: what the block fetches, and what its
  /// models show, nobody else can change until it ends. Saves inside it are stored together. An error that
  /// leaves the block, or the last save, undoes everything, in the stores and in the models: unsaved
  /// changes from before the block too. A transaction inside another one is a part of it: where it fails, the
  /// outer one throws at its end. Other contexts and `didSave` learn of it once it is stored.
  ///
  /// It waits for other writers as a save does; ``transaction(waitingAtMost:block:)`` sets a limit. Stores
  /// that speak the public ``DataStore`` protocol have no transactions: what the block saves there stays.
  /// Another context must not save on the same thread inside the block. See <doc:Concurrency>.
  /// - Throws: What `block` or the save throws, or `SwiftDataError.storeWriteFailure` where another writer
  ///   keeps the lock; then the block has not run.
  public func transaction(block: () throws -> Void) throws {
    try core.transaction(within: nil, block)
  }

  /// Runs `block` in one transaction, as ``transaction(block:)`` does, unless other writers keep it waiting
  /// too long.
  ///
  /// ```swift
  /// try context.transaction(waitingAtMost: .seconds(1)) { trip.name += " once more" }
  /// ```
  ///
  /// Not in Apple's framework.
  /// - Parameters:
  ///   - limit: How long to wait for other threads of the process, and again for other processes.
  ///   - block: What to run.
  /// - Throws: What `block` or the save throws, or `SwiftDataError.storeWriteFailure` after the limit; then the
  ///   block has not run.
  public func transaction(waitingAtMost limit: Duration, block: () throws -> Void) throws {
    try core.transaction(within: limit, block)
  }

  /// Runs reads that see one state of the stores: several fetches, faults and relationships.
  ///
  /// ```swift
  /// let (trips, stops) = try context.snapshot {
  ///   try (context.fetch(FetchDescriptor<Trip>()), context.fetchCount(FetchDescriptor<Stop>()))
  /// }
  /// ```
  ///
  /// Writers are not kept waiting, but for those of a store in memory, which has one connection. What others
  /// save meanwhile is applied after `body`. Saving, deleting by predicate and `transaction` throw inside it.
  /// Models that are in memory keep the values they have until a fetch brings their rows. A single fetch
  /// sees one state without this. With several stores, each has a state of its own. Not in Apple's framework.
  /// - Throws: What `body` throws, or the store's error.
  public func snapshot<R>(_ body: () throws -> R) throws -> R { try core.snapshot(body) }
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
