/// The state of a `ModelContext`, shared with its models. It owns the objects that do the work.
///
/// Each of them is made with the parts that it needs, so its initialiser shows what it can use. From
/// the lowest layer to the highest:
///
/// - `stores` has the ports of the stores; `identities` finds instances by identifier; `changes`
///   contains the unsaved changes; `watchers` observe edits: undo, autosave and live queries.
/// - `lostReferences` knows what refers to models that have left the context, `refusedEdits` keeps
///   edits that were refused, `unreadableValues` lists values that models could not show,
///   `failedReads` keeps failed reads that a save must not treat as empty results.
/// - `materializer` turns rows into models, `faults` reads what models request.
/// - `recorder` records each change, `relationships` keeps both sides of relationships consistent,
///   `graph` inserts and deletes models together with related ones.
/// - `externalChanges` applies what other contexts saved; its `feed` receives it.
/// - `FetchOperation`, `SaveSession` and `UndoApplication` live for one operation.
///
/// Models hold the core strongly, and the core holds changed models strongly, so a model can still
/// load its relationships after the context is released. The `ModelContext` (`face`) breaks the
/// cycle in its deinitialiser: it drops the pending changes, which releases the models, and the
/// watchers, which hold parts of the core.
///
/// All state is guarded by the rule that a context belongs to one thread.
final class ContextCore {
  weak var face: ModelContext?
  let stores: ContextStores
  let identity = ContextIdentity()
  let identities: IdentityRegistry
  let changes: ChangeTracker
  let watchers = EditWatchers()
  let refusedEdits: RefusedEdits
  let unreadableValues = UnreadableValues()
  let failedReads = FailedReads()
  let lostReferences: LostReferences
  let recentModels = RecentlyFaultedModels()
  let isolation = ContextIsolation()
  let conflictCheck: ConflictCheck
  let materializer: Materializer
  let faults: FaultResolver
  let recorder: ChangeRecorder
  let relationships: RelationshipFixer
  let graph: ModelGraph
  let externalChanges: ExternalChangeApplication
  var uniquenessPolicy = ModelContext.UniquenessPolicy.upsert
  /// The open transaction, which encloses all saves until it ends.
  var transaction: ContextTransaction?
  /// The version of each store at its last transaction, by store identifier.
  var seenVersions: [String: Int64] = [:]
  /// What is done after the running save.
  var postponed: [() -> Void] = []
  /// Whether unsaved changes are reported on standard error when the context is released.
  var reportsUnsavedChanges = true

  init(coordinator: any StoreCoordinator) {
    stores = ContextStores(coordinator)
    identities = IdentityRegistry(identity)
    let feed = ExternalChangeFeed(coordinator.changeLog)
    changes = ChangeTracker(feed)
    refusedEdits = RefusedEdits(coordinator, watchers)
    lostReferences = LostReferences(changes, identities, watchers)
    conflictCheck = ConflictCheck(changes, stores, feed)
    materializer = Materializer(coordinator, identities, changes, recentModels, conflictCheck)
    faults = FaultResolver(stores, materializer, failedReads, lostReferences, feed)
    recorder = ChangeRecorder(watchers, changes, identities, lostReferences, faults)
    relationships = RelationshipFixer(coordinator, identity, recorder)
    graph = ModelGraph(
      coordinator, identity, recorder, relationships, faults, lostReferences, refusedEdits)
    externalChanges = ExternalChangeApplication(
      feed, stores, identities, changes, lostReferences, unreadableValues, watchers, conflictCheck)
    identity.identify(self)
  }

  func close() {
    if reportsUnsavedChanges {
      let hasAutosave = watchers.first(Autosave.self)?.isEnabled ?? false
      coordinator.unsavedChanges.note(changes, hasAutosave: hasAutosave, coordinator)
    }
    externalChanges.feed.stop()
    watchers.close(losing: changes)
    RetainingCircles.release(
      among: identities.models(where: { !$0.overlay.isEmpty }), in: coordinator)
    lostReferences.close()
    for storage in changes.inserted {
      storage.leaveContext()
      storage.relationships.weaken(in: coordinator)
    }
    // Models are released after the changes here are complete: their deinitialisers may call back.
    withExtendedLifetime((changes.removeAll(), recentModels.close(), refusedEdits.close())) {}
    stores.close()
  }

  /// Makes stored models find their related models by identifier again.
  func releaseRelatedModels() {
    for live in identities.models(where: { !$0.overlay.isEmpty }) {
      live.storage.relationships.releaseModels()
    }
  }

  /// The actor that the context belongs to, if known.
  var executor: ContextExecutor? {
    get { isolation.known }
    set {
      isolation.known = newValue
      watchers.executorDidChange()
    }
  }

  // MARK: Operations

  var prefetcher: Prefetcher {
    Prefetcher(
      materializer: materializer, source: self, failedReads: failedReads, stores: stores)
  }

  /// A fetch; changes that other contexts have saved are applied before.
  /// - Throws: `SwiftDataError.unknownSchema` for a model that no store keeps.
  func fetchOperation<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> FetchOperation<T> {
    let port = try coordinator.port(of: T.self)
    externalChanges.applyNew()
    return FetchOperation(prefetcher, descriptor, port) { prefetcher, body in
      // Models that changed ones are related to would keep what they read beside stored values.
      let reader = ContextCore(coordinator: prefetcher.stores.coordinator)
      reader.stores.editingState.owner = prefetcher.stores.editingState.owner
      // Computed properties may ask for the context.
      reader.face = (prefetcher.source as? any ContextOwning)?.owningContext
      defer { reader.close() }
      try body(reader.prefetcher)
    }
  }

  func undoApplication(
    _ step: UndoStep, keeping merged: MergedModels,
    _ didInsertAgain: @escaping (any PersistentModel, [any PersistentModel]) -> Void
  ) -> UndoApplication {
    UndoApplication(
      step: step, merged: merged, source: self, context: identity, identities: identities,
      recorder: recorder, graph: graph, fixer: relationships, coordinator: coordinator,
      find: { [unowned self] in faults.model(for: $0, in: self) as? any PersistentModel },
      didInsertAgain: didInsertAgain)
  }
}

extension ContextCore: ContextOwning {
  var owningContext: ModelContext? { face }
}

extension ContextCore: StoreOwning {
  var coordinator: any StoreCoordinator { stores.coordinator }
}
