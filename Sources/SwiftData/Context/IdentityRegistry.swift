import Synchronization

/// Finds the instances of a context by identifier: one instance per row, except duplicates.
///
/// 1. A model that was never saved is found through the scope of its temporary identifier.
/// 2. A model with a row (fetched, faulted or saved) is inserted under its identifier: in a table
///    per store and entity if keys are integers, else in `others`. Entities of a hierarchy share keys, but an
///    identifier of one of them never leads to a model of another one.
/// 3. An upsert can turn a new model into an instance of a row that is already shown. The first
///    instance stays under the identifier; the new one becomes a duplicate.
/// 4. A model is removed when its row is deleted, or while it is deinitialised.
///
/// References do not retain models: a model without another owner is freed, and the change tracker
/// owns the models with unsaved changes. The registry lives as long as its `ContextCore` and is
/// used on the thread of the context, with one exception: the last reference to a model may be
/// released on any thread, and its storage is removed there. So entries are guarded by locks, and
/// every look-up returns a retained model or none. A model that is being deinitialised counts as
/// absent: a request for its row meanwhile creates a new instance, which replaces the entry.
final class IdentityRegistry {
  private let context: ContextIdentity
  /// One table per entity and store, looked up once per fetch.
  private var tables: [TableKey: IdentityTable] = [:]
  /// Storages with textual keys, of custom stores.
  private let others = Mutex<[PersistentIdentifier: UnretainedStorage]>([:])
  private var duplicateInstances = DuplicateInstances()
  /// The table of the last requested scope, which is usually the next one too.
  private var lastScope: IdentifierScope?
  private var lastTable: IdentityTable?
  /// Temporary identities from before a save that may exist as encoded identifiers.
  private var encodedIdentities: [TemporaryScope] = []

  #if OPENSWIFTDATA_INVARIANTS
    /// The number of checks.
    var checkCount = 0
    var count: Int {
      tables.values.reduce(others.withLock { $0.count }) { $0 + $1.count }
    }
  #endif

  private var deleted = DeletedModels()

  private struct TableKey: Hashable {
    let store: String
    let entity: String
  }

  init(_ context: ContextIdentity) {
    self.context = context
  }

  /// Whether no stored model is in memory.
  var isEmpty: Bool {
    tables.values.allSatisfy { $0.count == 0 } && others.withLock { $0.isEmpty }
  }

  /// The model in memory for an identifier.
  func model(for identifier: PersistentIdentifier) -> RetainedModel? {
    if let scope = identifier.temporaryScope { return scope.pendingModel(of: context.id) }
    if let table = table(of: identifier.id.scope) { return table[identifier.id.key] }
    var found: _ModelStorage?
    others.withLock { found = $0[identifier]?.held }
    return found.flatMap(RetainedModel.init)
  }

  /// The table for rows of `scope`; `nil` if its identifiers have no integer key.
  func table(of scope: IdentifierScope) -> IdentityTable? {
    if lastScope === scope { return lastTable }
    guard case .row = scope.kind, let store = scope.storeIdentifier else { return nil }
    let key = TableKey(store: store, entity: scope.entityName)
    let table = tables[key] ?? IdentityTable()
    tables[key] = table
    lastScope = scope
    lastTable = table
    return table
  }

  /// Makes room for the new rows of a save, where many of one entity follow each other.
  func reserve(for identifiers: [PersistentIdentifier]) {
    var rest = identifiers[...]
    while rest.count > 64, let scope = rest.first?.id.scope {
      let count = rest.prefix { $0.id.scope === scope }.count
      if count > 64 { table(of: scope)?.reserve(count) }
      rest = rest.dropFirst(count)
    }
  }

  /// Registers `storage` under its identifier, if that is an integer key without an entry.
  /// - Returns: Whether it was registered.
  func insertNew(_ storage: _ModelStorage) -> Bool {
    guard let identifier = storage.knownIdentifier, let table = table(of: identifier.id.scope)
    else { return false }
    return table.insertNew(storage, for: identifier.id.key)
  }

  /// Registers `storage` under its identifier.
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

  /// Removes a model whose row was deleted, but finds it by `deletedModel(for:)`.
  func removeDeleted(_ storage: _ModelStorage) {
    deleted.insert(storage)
    remove(storage)
  }

  /// The model of a deleted row, if the program still has it and no other one has the identifier.
  func deletedModel(for identifier: PersistentIdentifier) -> (any PersistentModel)? {
    if deleted.isEmpty || model(for: identifier) != nil { return nil }
    return deleted.model(for: identifier)
  }

  /// Removes a storage with a textual key. Also called while it is deinitialised, on any thread.
  func forget(_ storage: _ModelStorage) {
    guard let identifier = storage.knownIdentifier else { return }
    let going = UnretainedStorage(storage)
    others.withLock { if $0[identifier] == going { $0[identifier] = nil } }
  }

  /// Identifiers without those that certainly have no instance in memory, in their order.
  func present(_ identifiers: [PersistentIdentifier]) -> [PersistentIdentifier] {
    if hasDuplicates { return identifiers }
    var present: [PersistentIdentifier] = []
    var rest = identifiers[...]
    while let scope = rest.first?.id.scope {
      let run = rest.prefix { $0.id.scope === scope }
      if let table = table(of: scope) {
        present += table.present(run)
      } else {
        present += run
      }
      rest = rest.dropFirst(run.count)
    }
    return present
  }

  /// Models in memory, retained; also additional instances of rows.
  /// - Parameter isWanted: Called under a lock; it must only look at the storage.
  func models(where isWanted: (_ModelStorage) -> Bool) -> [RetainedModel] {
    registeredModels(where: isWanted)
      + allDuplicates.map(\.model).filter { isWanted($0.storage) }
  }

  private func registeredModels(where isWanted: (_ModelStorage) -> Bool) -> [RetainedModel] {
    var storages: [_ModelStorage] = []
    for table in tables.values { table.add(to: &storages, where: isWanted) }
    others.withLock { others in
      for reference in others.values where reference.satisfies(isWanted) {
        if let held = reference.held { storages.append(held) }
      }
    }
    return storages.compactMap(RetainedModel.init)
  }

  /// Keeps the temporary identity of a stored model if it has been encoded, so that it leads to the
  /// row for the lifetime of the context.
  func keepEncodedIdentity(of storage: _ModelStorage) {
    guard let scope = storage.knownIdentifier?.temporaryScope, scope.isEncoded else { return }
    encodedIdentities.append(scope)
  }

  // MARK: Duplicates

  var hasDuplicates: Bool { !duplicateInstances.isEmpty }

  /// Additional instances of a row, besides the registered one.
  func duplicates(of identifier: PersistentIdentifier) -> [RetainedModel] {
    duplicateInstances[identifier]
  }

  /// All instances of a row.
  func instances(of identifier: PersistentIdentifier) -> [RetainedModel] {
    let registered = model(for: identifier).map { [$0] } ?? []
    return hasDuplicates ? registered + duplicates(of: identifier) : registered
  }

  /// The instance of a row that fetches return: the registered one, unless only another one has unsaved edits.
  func shownInstance(of identifier: PersistentIdentifier) -> RetainedModel? {
    let registered = model(for: identifier)
    guard hasDuplicates, registered?.storage.flags.isDisjoint(with: .isPending) ?? true else {
      return registered
    }
    return duplicates(of: identifier).first { $0.storage.flags.contains(.isChanged) } ?? registered
  }

  /// The other models of the context that show the row of `storage`.
  func otherInstances(of storage: _ModelStorage) -> [RetainedModel] {
    guard hasDuplicates, let identifier = storage.knownIdentifier else { return [] }
    return instances(of: identifier).filter { $0.storage !== storage }
  }

  var allDuplicates: [(identifier: PersistentIdentifier, model: RetainedModel)] {
    duplicateInstances.all
  }

  func insertDuplicate(_ storage: _ModelStorage, of identifier: PersistentIdentifier) {
    duplicateInstances.insert(storage, for: identifier)
  }
}

/// Conditions that hold between two calls of the context's API; checked in test builds only.
///
/// Called after each batch of changes: a fetch, a save, a rollback, an undo, external changes. It
/// looks at every instance, so a large registry is checked less and less often: otherwise a loop of
/// fetches would take quadratic time.
extension IdentityRegistry {
  func _invariantCheck() {
    #if OPENSWIFTDATA_INVARIANTS
      checkCount += 1
      guard count <= 256 || checkCount & (checkCount - 1) == 0 else { return }
      for live in registeredModels(where: { _ in true }) { check(live) }
      for (identifier, live) in allDuplicates {
        let isKnown = live.storage.knownIdentifier == identifier
        precondition(isKnown, "a duplicate of \(identifier) shows another row")
      }
    #endif
  }

  #if OPENSWIFTDATA_INVARIANTS
    private func check(_ live: RetainedModel) {
      let storage = live.storage
      let name = storage.descriptor.entityName
      guard let identifier = storage.knownIdentifier else {
        preconditionFailure("\(name): a registered instance has no identifier")
      }
      precondition(!identifier.isTemporary, "\(identifier): a new model is registered as a row")
      precondition(context.owns(storage), "\(identifier): belongs to another context, or none")
      precondition(!storage.flags.contains(.isInserted), "\(identifier): is new and has a row")
      let found = model(for: identifier)
      precondition(found?.storage === storage, "\(identifier): is registered for another instance")
      let isNoted = storage.table != nil || storage.flags.contains(.isRegistered)
      precondition(isNoted, "\(identifier): has no flag for its removal from the registry")
    }
  #endif
}
