/// The state behind a `ModelContext`, shared with its models: the owner of the collaborators that do
/// its work.
///
/// - `identities` finds the instances by identifier, `changes` knows what is unsaved.
/// - `faults` reads what models ask for, `SaveSession` writes, `FetchOperation` fetches.
/// - `externalChanges` knows what other contexts saved, `ExternalChangeApplication` applies it.
/// - `watchers` follow the edits: undo and autosave.
/// - `pendingErrors` keeps misuse for the next save, `unreadableValues` what models could not show, `failedReads`
///   what a save must not take for an answer.
///
/// Models hold the core strongly and the core holds changed models strongly, so a model can still
/// fault its relationships after the context is gone. The face breaks the cycle when it is
/// deinitialised: it drops the pending changes, which releases the models.
///
/// All state is guarded by the rule that a context belongs to one thread.
final class ContextCore {
  let coordinator: any StoreCoordinator
  weak var face: ModelContext?
  let identities: IdentityRegistry
  var changes = ChangeTracker()
  /// Without a check for overlapping access, which each edit would pay for: nothing that changes the
  /// list calls out meanwhile, but for `wantsEdits`.
  @exclusivity(unchecked) var watchers = EditWatchers()
  let externalChanges: ExternalChangeFeed
  var pendingErrors = PendingErrors()
  var unreadableValues = UnreadableValues()
  var failedReads = FailedReads()
  /// Edits of rows that others deleted, which no save can store; the next save announces them.
  var discardedEdits: [PersistentIdentifier: [String]] = [:]
  /// Identities from before a save that somebody may have as encoded identifiers.
  private var encodedIdentities: [TemporaryScope] = []
  private var recentModels = RecentModels()
  /// The actor that the context is known to belong to.
  var executor: ContextExecutor? {
    didSet { for watcher in watchers.all { watcher.executorDidChange() } }
  }
  var editingState = EditingState()
  /// One-to-one relationships of edited models that nobody has set: their models were given to others.
  var displacedLinks: [ObjectIdentifier: SlotSet] = [:]
  /// Of models that others have changed.
  let readFailures = FailureMemory()
  var conflictPolicy = ConflictPolicy.laterSaveWins
  var uniquenessPolicy = UniquenessPolicy.upsert
  /// The transaction that is open, and encloses all saves until it ends.
  var transaction: ContextTransaction?
  /// What the stores of earlier transactions were at, by identifier.
  var seenVersions: [String: Int64] = [:]
  /// Whether reads see one state of the stores, so that nothing newer is applied.
  var isReadingSnapshot = false
  /// What a save stored before a later store failed; the save posts it along with its error.
  var savedInPart: SaveSession.Saved?
  /// Whether a line on standard error tells of changes that nothing has saved.
  var reportsUnsavedChanges = true
  /// Whether pending models may name some that have left the context.
  var hasLostModels = false

  init(coordinator: any StoreCoordinator) {
    self.coordinator = coordinator
    identities = IdentityRegistry(coordinator: coordinator)
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
    for live in identities.models(where: { $0.overlay != nil }) {
      live.storage.dropRelationships()
    }
    for storage in changes.inserted {
      storage.leaveContext()
      weakenPartners(of: storage)
    }
    // Models are released when nothing is being changed here: their deinitialisers may call back.
    let released = (changes, recentModels)
    changes.removeAll()
    recentModels = RecentModels()
    withExtendedLifetime(released) {}
    for port in coordinator.ports { port.end(editingState) }
  }

  /// The actor that edits are made on now: the known one, or the main actor on its thread.
  var currentExecutor: ContextExecutor? { executor ?? ContextExecutor.current }

  /// The model in memory that an identifier names.
  func registered(_ identifier: PersistentIdentifier) -> LiveModel? {
    identities.model(for: identifier, in: self)
  }

  /// Whether a model is part of what the user sees: registered and not to be deleted.
  func has(_ storage: _ModelStorage) -> Bool {
    storage.source === self && storage.flags.isDisjoint(with: [.isDeleted, .isGone])
  }

  /// Forgets a change that turned out to be none. The model may have had no other owner; it is released
  /// when nothing is being changed here.
  func forgetChange(of storage: _ModelStorage) {
    let model = storage.model
    changes.unchange(storage)
    withExtendedLifetime(model) {}
  }

  /// Keeps the temporary identity of a model that was stored, where it has been encoded, so that it
  /// leads to the row as long as the context lives.
  func keepEncodedIdentity(of storage: _ModelStorage) {
    guard let scope = storage.knownIdentifier?.temporaryScope, scope.isEncoded else { return }
    encodedIdentities.append(scope)
  }

  /// Keeps a model that was faulted in alive for a while, unless the context is closed.
  func keepRecent(_ model: AnyObject) {
    guard face != nil else { return }
    let released = recentModels.keep(model)
    withExtendedLifetime(released) {}
  }

  /// Keeps a deleted model no longer where it would keep files with it.
  func forgetRecent(_ storage: _ModelStorage) {
    guard !storage.descriptor.externalSlots.isEmpty, let model = storage.model else { return }
    let released = recentModels.forget(model)
    withExtendedLifetime(released) {}
  }

  func port(of storage: _ModelStorage) -> (any StorePort)? {
    coordinator.port(forEntity: storage.descriptor.entityName)
  }
}

extension ContextCore: ContextOwning {
  var owningContext: ModelContext? { face }
}

extension _ModelStorage {
  /// Lets go of the models that relationships hold; they are found again by identifier.
  func dropRelationships() {
    guard overlay != nil, !flags.contains(.isInserted) else { return }
    for slot in descriptor.relationshipSlots {
      switch overlaid(slot) {
      case .toMany: overlay(.unset, at: slot)
      case .model(let partner): overlay(.identifier(partner._$storage.identifier), at: slot)
      case .unset, .null, .identifier, .weakPartners: continue
      case .integer, .real, .text, .blob, .uuid, .boxed: continue
      }
    }
  }
}
