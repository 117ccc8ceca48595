import Foundation

/// The state behind a `ModelContext`, shared with its models.
///
/// Models hold the core strongly and the core holds changed models strongly, so a model can still
/// fault its relationships after the context is gone. The face breaks the cycle when it dies: it
/// drops the pending changes and lets the models go.
///
/// All state is guarded by the rule that a context belongs to one thread.
final class ContextCore {
  let coordinator: any StoreCoordinator
  weak var face: ModelContext?
  var identities = IdentityMap()
  var changes = ChangeTracker()
  /// Whether anybody has to know of the next edit: `undo`, or `autosave` for the first since a save.
  var isWatched = false
  var undo: UndoRecorder? { didSet { noteWatchers() } }
  var autosave: Autosave? { didSet { noteWatchers() } }
  /// The actor that the context is known to belong to.
  var home: ContextHome? { didSet { autosave?.noteHome() } }
  var editingState = EditingState()
  /// Models that were faulted in lately, so that walking a relationship doesn't read the same row
  /// again and again.
  private var recent: [AnyObject?] = []
  private var nextRecent = 0
  private static let recentLimit = 1024
  /// The first misuse since the last save, thrown by the next one.
  var pendingError: SwiftDataError?
  /// What other contexts saved, and what this one has seen of it.
  let savesElsewhere: SavesElsewhere
  /// Further instances of rows that an upsert led to.
  var twins = Twins()
  /// Whether pending models may name some that have left the context.
  var hasLostModels = false

  init(coordinator: any StoreCoordinator) {
    self.coordinator = coordinator
    savesElsewhere = SavesElsewhere(coordinator.journal)
  }

  func open() {
    for port in coordinator.ports { port.begin(editingState) }
  }

  func close() {
    savesElsewhere.stop()
    closeWatchers()
    identities.forEach { $0.dropRelationships() }
    for storage in changes.inserted { weakenPartners(of: storage) }
    changes.removeAll()
    recent = []
    for port in coordinator.ports { port.end(editingState) }
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

  /// Keeps `model` alive for a while.
  func touch(_ model: AnyObject) {
    guard face != nil else { return }
    if recent.count < ContextCore.recentLimit {
      recent.append(model)
    } else {
      recent[nextRecent] = model
      nextRecent = (nextRecent + 1) % ContextCore.recentLimit
    }
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
