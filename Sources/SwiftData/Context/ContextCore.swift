import Foundation

/// The state behind a `ModelContext`, shared with its models.
///
/// Models hold the core strongly and the core holds changed models strongly, so a model can still
/// fault its relationships after the context is gone. The face breaks the cycle when it is
/// deinitialised: it drops the pending changes, which releases the models.
///
/// All state is guarded by the rule that a context belongs to one thread.
final class ContextCore {
  let coordinator: any StoreCoordinator
  weak var face: ModelContext?
  var identities = IdentityMap()
  var changes = ChangeTracker()
  /// Whether the next edit has to be reported: to `undo`, or to `autosave` as the first since a save.
  var isWatched = false
  var undo: UndoRecorder? { didSet { noteWatchers() } }
  var autosave: Autosave? { didSet { noteWatchers() } }
  /// The actor that the context is known to belong to.
  var executor: ContextExecutor? { didSet { autosave?.noteExecutor() } }
  var editingState = EditingState()
  private var recentModels = RecentModels()
  /// The store that was asked last, as what it can do: a look-up of a conformance costs more than a
  /// comparison.
  private var lastPartial: (store: any DataStore, partial: (any PartialFetching)?)?
  /// The first misuse since the last save, thrown by the next one.
  var pendingError: SwiftDataError?
  let externalChanges: ExternalChangeFeed
  var duplicates = DuplicateInstances()
  /// Whether pending models may name some that have left the context.
  var hasLostModels = false

  init(coordinator: any StoreCoordinator) {
    self.coordinator = coordinator
    externalChanges = ExternalChangeFeed(coordinator.changeLog)
  }

  func open() {
    for store in coordinator.stores { store.initializeState(for: editingState) }
  }

  func close() {
    externalChanges.stop()
    closeWatchers()
    identities.forEach { $0.dropRelationships() }
    for storage in changes.inserted { loosenPartners(of: storage) }
    changes.removeAll()
    recentModels.removeAll()
    for store in coordinator.stores { store.invalidateState(for: editingState) }
  }

  func rootEntity(of storage: _ModelStorage) -> String {
    coordinator.rootEntity(of: storage.descriptor.entityName)
  }

  /// The model in memory that an identifier names.
  func registered(_ identifier: PersistentIdentifier) -> _ModelStorage? {
    if let scope = identifier.temporaryScope { return scope.pendingStorage(of: self) }
    return identities.storage(for: identifier) {
      coordinator.rootEntity(of: identifier.entityName)
    }
  }

  func register(_ storage: _ModelStorage) {
    identities.insert(storage) { rootEntity(of: storage) }
  }

  func unregister(_ storage: _ModelStorage) {
    identities.remove(storage)
  }

  /// Keeps a model that was faulted in alive for a while, unless the context is gone.
  func keepRecent(_ model: AnyObject) {
    if face != nil { recentModels.keep(model) }
  }

  func partialFetching(of store: any DataStore) -> (any PartialFetching)? {
    if let lastPartial, lastPartial.store === store { return lastPartial.partial }
    let partial = store as? any PartialFetching
    lastPartial = (store, partial)
    return partial
  }

  func store(of storage: _ModelStorage) -> (any DataStore)? {
    coordinator.store(forEntity: storage.descriptor.entityName)
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
      guard case .object(let object) = overlaid(slot) else { continue }
      if object is ToManyValue {
        overlay(.unset, at: slot)
      } else if let model = object as? any PersistentModel {
        overlay(.object(IdentifierBox(model._$storage.identifier)), at: slot)
      }
    }
  }
}
