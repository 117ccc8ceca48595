/// The state of a `ModelContext`, shared with its models. It owns the objects that do the work.
///
/// - `identities` finds instances by identifier; `changes` contains the unsaved changes.
/// - `faults` reads what models request, `SaveSession` writes, `FetchOperation` fetches.
/// - `externalChanges` receives what other contexts saved, `ExternalChangeApplication` applies it.
/// - `watchers` observe edits: undo and autosave.
/// - `lostReferences` knows what refers to models that have left the context.
/// - `pendingErrors` keeps misuse for the next save, `unreadableValues` lists values that models
///   could not show, `failedReads` keeps failed reads that a save must not treat as empty results.
///
/// Models hold the core strongly, and the core holds changed models strongly, so a model can still
/// load its relationships after the context is released. The `ModelContext` (`face`) breaks the
/// cycle in its deinitialiser: it drops the pending changes, which releases the models.
///
/// All state is guarded by the rule that a context belongs to one thread.
final class ContextCore {
  let coordinator: any StoreCoordinator
  weak var face: ModelContext?
  let identities: IdentityRegistry
  let changes = ChangeTracker()
  /// Without the check for exclusive access, which would cost time on each edit. Safe: changing the
  /// list calls no other code, except `wantsEdits`.
  @exclusivity(unchecked) var watchers = EditWatchers()
  let externalChanges: ExternalChangeFeed
  var pendingErrors = PendingErrors()
  var unreadableValues = UnreadableValues()
  let failedReads = FailedReads()
  let lostReferences: LostReferences
  /// Temporary identities from before a save that may exist as encoded identifiers.
  private var encodedIdentities: [TemporaryScope] = []
  let recentModels = RecentlyFaultedModels()
  /// The actor that the context belongs to, if known.
  var executor: ContextExecutor? {
    didSet { for watcher in watchers.all { watcher.executorDidChange() } }
  }
  var editingState = EditingState()
  /// One-to-one relationships of edited models that were emptied because their model was set
  /// elsewhere.
  var displacedLinks: [ObjectIdentifier: SlotSet] = [:]
  /// Failures to read models that other contexts have changed.
  let readFailures = FailureFlag()
  var uniquenessPolicy = UniquenessPolicy.upsert
  /// The open transaction, which encloses all saves until it ends.
  var transaction: ContextTransaction?
  /// The version of each store at its last transaction, by store identifier.
  var seenVersions: [String: Int64] = [:]
  /// Whether reads see one state of the stores, so that newer changes are not applied.
  var isReadingSnapshot = false
  /// What a save stored before a later store failed; posted together with the error.
  var partiallySaved: SaveSession.Saved?
  /// Whether unsaved changes are reported on standard error when the context is released.
  var reportsUnsavedChanges = true

  init(coordinator: any StoreCoordinator) {
    self.coordinator = coordinator
    identities = IdentityRegistry(coordinator: coordinator)
    lostReferences = LostReferences(changes, identities)
    externalChanges = ExternalChangeFeed(coordinator.changeLog)
  }

  func open() {
    for port in coordinator.ports { port.begin(editingState) }
  }

  func close() {
    if reportsUnsavedChanges {
      let hasAutosave = watchers.first(Autosave.self)?.isEnabled ?? false
      coordinator.unsavedChanges.note(changes, hasAutosave: hasAutosave, coordinator)
    }
    externalChanges.stop()
    closeWatchers()
    for live in identities.models(where: { !$0.overlay.isEmpty }) {
      live.storage.relationships.releaseModels()
    }
    for storage in changes.inserted {
      storage.leaveContext()
      weakenReferences(of: storage)
    }
    // Models are released after the changes here are complete: their deinitialisers may call back.
    withExtendedLifetime((changes.removeAll(), recentModels.close())) {}
    for port in coordinator.ports { port.end(editingState) }
  }

  /// The actor on which edits are made now: the known one, or the main actor on its thread.
  var currentExecutor: ContextExecutor? { executor ?? ContextExecutor.current }

  /// The model in memory for an identifier.
  func registered(_ identifier: PersistentIdentifier) -> RetainedModel? {
    identities.model(for: identifier, in: self)
  }

  /// Whether a model belongs to this context and is not deleted.
  func has(_ storage: _ModelStorage) -> Bool {
    storage.source === self && storage.flags.isDisjoint(with: [.isDeleted, .hasNoRow])
  }

  /// Keeps the temporary identity of a stored model if it has been encoded, so that it leads to the
  /// row for the lifetime of the context.
  func keepEncodedIdentity(of storage: _ModelStorage) {
    guard let scope = storage.knownIdentifier?.temporaryScope, scope.isEncoded else { return }
    encodedIdentities.append(scope)
  }

  // MARK: Collaborators that know only some of the parts

  var materializer: Materializer {
    Materializer(
      coordinator: coordinator, identities: identities, changes: changes, recent: recentModels,
      source: self, conflicts: conflictCheck)
  }

  var prefetcher: Prefetcher {
    Prefetcher(materializer: materializer, failedReads: failedReads, editingState: editingState)
  }

  var conflictCheck: ConflictCheck {
    ConflictCheck(
      changes: changes, coordinator: coordinator, externalChanges: externalChanges,
      editingState: editingState)
  }

  /// A fetch; changes that other contexts have saved are applied before.
  /// - Throws: `SwiftDataError.unknownSchema` for a model that no store keeps.
  func fetchOperation<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> FetchOperation<T> {
    let port = try coordinator.port(of: T._$descriptor)
    applyExternalChanges()
    return FetchOperation(prefetcher, descriptor, port)
  }

  func port(of storage: _ModelStorage) -> (any StorePort)? {
    coordinator.port(forEntity: storage.descriptor.entityName)
  }
}

extension ContextCore: ContextOwning {
  var owningContext: ModelContext? { face }
}
