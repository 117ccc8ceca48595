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
/// the thread of the context only.
final class IdentityRegistry {
  private let coordinator: any StoreCoordinator
  /// One table per root entity and store, found once per fetch.
  private var tables: [TableKey: IdentityTable] = [:]
  /// The textual keys of custom stores.
  private var others: [PersistentIdentifier: UnretainedStorage] = [:]
  private var duplicateInstances = DuplicateInstances()
  /// The table of the scope that was asked for last, which is mostly the one that is asked for next.
  private var lastScope: IdentifierScope?
  private var lastTable: IdentityTable?

  #if OPENSWIFTDATA_INVARIANTS
    /// How often the invariants were asked for.
    var checkCount = 0
    var count: Int { tables.values.reduce(others.count) { $0 + $1.count } }
  #endif

  private struct TableKey: Hashable {
    let store: String
    let rootEntity: String
  }

  init(coordinator: any StoreCoordinator) { self.coordinator = coordinator }

  /// The instance that an identifier leads to in `context`.
  func storage(
    for identifier: PersistentIdentifier, in context: ContextCore
  ) -> _ModelStorage? {
    if let scope = identifier.temporaryScope { return scope.pendingStorage(of: context) }
    let scope = identifier.id.scope
    if let table = table(of: scope) { return table[identifier.id.key] }
    return others[identifier]?.live
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
      others[identifier] = UnretainedStorage(storage)
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
    } else if others[identifier]?.leads(to: storage) == true {
      storage.noteRegistered(false)
      others[identifier] = nil
    }
  }

  /// - Parameter isWanted: Chooses the instances; it changes and frees nothing.
  func forEach(
    where isWanted: (_ModelStorage) -> Bool = { _ in true }, _ body: (_ModelStorage) -> Void
  ) {
    // Held meanwhile: what `body` does to one model may free others, which changes the tables.
    var models: [AnyObject] = []
    var storages: [_ModelStorage] = []
    func hold(_ storage: _ModelStorage) {
      guard isWanted(storage), let model = storage.model else { return }
      models.append(model)
      storages.append(storage)
    }
    for table in tables.values { table.forEach(hold) }
    for reference in others.values { if let storage = reference.live { hold(storage) } }
    withExtendedLifetime(models) { storages.forEach(body) }
  }

  // MARK: Duplicates

  var hasDuplicates: Bool { !duplicateInstances.isEmpty }

  /// Further instances of a row, besides the one that its identifier leads to.
  func duplicates(of identifier: PersistentIdentifier) -> [_ModelStorage] {
    duplicateInstances[identifier]
  }

  /// All instances of a row.
  func instances(of identifier: PersistentIdentifier, in context: ContextCore) -> [_ModelStorage] {
    [storage(for: identifier, in: context)].compactMap(\.self) + duplicates(of: identifier)
  }

  var allDuplicates: [(identifier: PersistentIdentifier, storage: _ModelStorage)] {
    duplicateInstances.all
  }

  func insertDuplicate(_ storage: _ModelStorage, of identifier: PersistentIdentifier) {
    duplicateInstances.insert(storage, for: identifier)
  }
}
