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
  /// Runs no statement. The save reads the members of each relationship with a delete rule, with one
  /// statement for each, and deletes row by row. A model that was not saved yet leaves the context.
  /// ``delete(model:where:includeSubclasses:)`` deletes many rows without loading models. A rule that
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
  /// Without changes nothing runs. See <doc:Errors> for what a failed save leaves behind, and
  /// <doc:Concurrency> for what other contexts see of it.
  /// - Throws: `SwiftDataError.modelValidationFailure` for models that break a rule of the schema,
  ///   `SwiftDataError.unknownSchema` for a class that the schema lacks, or the store's error. Nothing
  ///   is saved then and the context keeps its changes.
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

  /// Runs `block` and saves what it changed; discards it when `block` throws.
  /// - Throws: What `block` or the save throws.
  public func transaction(block: () throws -> Void) throws {
    do {
      try block()
      try save()
    } catch {
      rollback()
      throw error
    }
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
