import Synchronization

/// Finds the instances of a context by identifier: one instance per row, besides duplicates.
///
/// 1. A model that no save has stored is found through the scope of its temporary identifier.
/// 2. A model over a row (fetched, faulted in or saved) is inserted under its identifier: in a table
///    per store and root entity where keys are integers, else in `others`.
/// 3. An upsert can lead a new model to a row that another instance shows. The first stays under the
///    identifier, the new one becomes a duplicate.
/// 4. A model is removed when its row is deleted, or while it is deinitialised.
///
/// No reference keeps a model alive: what has no other owner is freed, and the change tracker owns
/// the models with unsaved changes. The registry lives as long as its `ContextCore` and is used on
/// the thread of the context, but for one thing: the last reference to a model may go on any thread,
/// and its storage is removed there. So entries are guarded by locks, and every look-up answers a model that
/// it holds, or none. A model that is being deinitialised counts as absent; whoever asks for its row
/// meanwhile gets a new instance, which takes its place.
final class IdentityRegistry {
  private let coordinator: any StoreCoordinator
  /// One table per root entity and store, found once per fetch.
  private var tables: [TableKey: IdentityTable] = [:]
  /// The textual keys of custom stores.
  private let others = Mutex<[PersistentIdentifier: UnretainedStorage]>([:])
  private var duplicateInstances = DuplicateInstances()
  /// The table of the scope that was asked for last, which is mostly the one that is asked for next.
  private var lastScope: IdentifierScope?
  private var lastTable: IdentityTable?

  #if OPENSWIFTDATA_INVARIANTS
    /// How often the invariants were asked for.
    var checkCount = 0
    var count: Int {
      tables.values.reduce(others.withLock { $0.count }) { $0 + $1.count }
    }
  #endif

  private struct TableKey: Hashable {
    let store: String
    let rootEntity: String
  }

  init(coordinator: any StoreCoordinator) { self.coordinator = coordinator }

  /// The instance that an identifier leads to in `context`.
  func model(for identifier: PersistentIdentifier, in context: ContextCore) -> LiveModel? {
    if let scope = identifier.temporaryScope { return scope.pendingModel(of: context) }
    if let table = table(of: identifier.id.scope) { return table[identifier.id.key] }
    var found: _ModelStorage?
    others.withLock { found = $0[identifier]?.held }
    return found.flatMap(LiveModel.init)
  }

  /// The table for rows of `scope`; `nil` where identifiers have no integer key.
  func table(of scope: IdentifierScope) -> IdentityTable? {
    if lastScope === scope { return lastTable }
    guard case .row = scope.kind, let store = scope.storeIdentifier else { return nil }
    let key = TableKey(
      store: store, rootEntity: coordinator.rootEntity(of: scope.entityName))
    let table = tables[key] ?? IdentityTable()
    tables[key] = table
    lastScope = scope
    lastTable = table
    return table
  }

  /// Makes `storage` the one that its identifier leads to.
  func insert(_ storage: _ModelStorage) {
    guard let identifier = storage.knownIdentifier else { return }
    if let table = table(of: identifier.id.scope) {
      table.insert(storage, for: identifier.id.key)
    } else {
      let reference = UnretainedStorage(storage)
      others.withLock { $0[identifier] = reference }
      storage.noteRegistered(true)
    }
  }

  /// Removes `storage`; another storage under the same identifier stays.
  func remove(_ storage: _ModelStorage) {
    guard let identifier = storage.knownIdentifier else { return }
    if hasDuplicates { duplicateInstances.remove(storage, for: identifier) }
    if let table = storage.table {
      table.remove(storage, for: identifier.id.key)
      storage.table = nil
    } else {
      forget(storage)
      storage.noteRegistered(false)
    }
  }

  /// Removes a storage with a textual key. Called while it is deinitialised too, on any thread.
  func forget(_ storage: _ModelStorage) {
    guard let identifier = storage.knownIdentifier else { return }
    let going = UnretainedStorage(storage)
    others.withLock { if $0[identifier] == going { $0[identifier] = nil } }
  }

  /// Models that are in memory, held.
  /// - Parameter isWanted: Called under a lock; it looks at the storage and does nothing else.
  func models(where isWanted: (_ModelStorage) -> Bool) -> [LiveModel] {
    var storages: [_ModelStorage] = []
    for table in tables.values { table.add(to: &storages, where: isWanted) }
    others.withLock { others in
      for reference in others.values where reference.satisfies(isWanted) {
        if let held = reference.held { storages.append(held) }
      }
    }
    return storages.compactMap(LiveModel.init)
  }

  // MARK: Duplicates

  var hasDuplicates: Bool { !duplicateInstances.isEmpty }

  /// Further instances of a row, besides the one that its identifier leads to.
  func duplicates(of identifier: PersistentIdentifier) -> [LiveModel] {
    duplicateInstances[identifier]
  }

  /// All instances of a row.
  func instances(of identifier: PersistentIdentifier, in context: ContextCore) -> [LiveModel] {
    [model(for: identifier, in: context)].compactMap(\.self) + duplicates(of: identifier)
  }

  var allDuplicates: [(identifier: PersistentIdentifier, model: LiveModel)] {
    duplicateInstances.all
  }

  func insertDuplicate(_ storage: _ModelStorage, of identifier: PersistentIdentifier) {
    duplicateInstances.insert(storage, for: identifier)
  }
}
