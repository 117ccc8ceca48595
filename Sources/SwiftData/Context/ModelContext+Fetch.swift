import Foundation

extension ModelContext {
  /// The models that match `descriptor`, unsaved changes included unless it says otherwise.
  /// - Throws: `SwiftDataError` for requests that can't be answered, or the store's error.
  public func fetch<T>(_ descriptor: FetchDescriptor<T>) throws -> [T] where T: PersistentModel {
    try FetchOperation(core: core, descriptor: descriptor).models()
  }

  /// The number of models that `fetch` with the same descriptor would return.
  /// - Throws: `SwiftDataError` for requests that can't be answered, or the store's error.
  public func fetchCount<T>(_ descriptor: FetchDescriptor<T>) throws -> Int
  where T: PersistentModel {
    try FetchOperation(core: core, descriptor: descriptor).count()
  }

  /// The identifiers of the models that `fetch` with the same descriptor would return.
  /// - Throws: `SwiftDataError` for requests that can't be answered, or the store's error.
  public func fetchIdentifiers<T>(_ descriptor: FetchDescriptor<T>) throws
    -> [PersistentIdentifier] where T: PersistentModel
  {
    try FetchOperation(core: core, descriptor: descriptor).identifiers()
  }

  /// The matching models as a collection that reads a batch of rows when it is touched.
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` while there are unsaved changes
  ///   that the descriptor wants to see.
  public func fetch<T>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<T> where T: PersistentModel {
    if descriptor.includePendingChanges && hasChanges {
      throw SwiftDataError.includePendingChangesWithBatchSize.with(
        "Save first, or set includePendingChanges to false.", entity: T._$descriptor.entityName)
    }
    let identifiers = try FetchOperation(core: core, descriptor: descriptor).identifiers()
    let core = core
    return FetchResultsCollection(count: identifiers.count, batchSize: max(1, batchSize)) { range in
      core.batch(of: identifiers[range], as: T.self)
    }
  }

  /// The matching identifiers as a collection.
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` while there are unsaved changes
  ///   that the descriptor wants to see.
  public func fetchIdentifiers<T>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> where T: PersistentModel {
    if descriptor.includePendingChanges && hasChanges {
      throw SwiftDataError.includePendingChangesWithBatchSize.with(
        "Save first, or set includePendingChanges to false.", entity: T._$descriptor.entityName)
    }
    let identifiers = try FetchOperation(core: core, descriptor: descriptor).identifiers()
    return FetchResultsCollection(identifiers)
  }

  /// Calls `block` with each matching model, reading a batch of rows at a time.
  /// - Parameters:
  ///   - fetch: What to enumerate.
  ///   - batchSize: How many rows to read at a time.
  ///   - allowEscapingMutations: Whether `block` may leave unsaved changes in the context.
  ///   - block: What to do with each model.
  /// - Throws: What `block` throws, or `SwiftDataError.modelValidationFailure` when it leaves
  ///   changes behind that it may not.
  public func enumerate<T>(
    _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
    block: (_ model: T) throws -> Void
  ) throws where T: PersistentModel {
    let identifiers = try FetchOperation(core: core, descriptor: fetch).identifiers()
    let wasClean = !hasChanges
    var start = 0
    while start < identifiers.count {
      let end = min(start + max(1, batchSize), identifiers.count)
      for model in core.models(for: identifiers[start..<end], as: T.self) {
        try block(model)
        if wasClean && !allowEscapingMutations && hasChanges {
          throw SwiftDataError.modelValidationFailure.with(
            "The closure of enumerate left unsaved changes. Save them in the closure, or pass "
              + "allowEscapingMutations: true.", entity: T._$descriptor.entityName)
        }
      }
      start = end
    }
  }

  /// The model with an identifier, as a fault where it is not in memory.
  ///
  /// Where no store has such a row the model reads as empty and `isDeleted` is true.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    if let model = core.fault(for: persistentModelID) as? any PersistentModel { return model }
    return core.placeholder(for: persistentModelID)
  }

  /// The model with an identifier, if it is in memory.
  public func registeredModel<T>(for persistentModelID: PersistentIdentifier) -> T?
  where T: PersistentModel {
    core.registered(persistentModelID.resolved)?.model as? T
  }
}

extension ContextCore {
  /// Models in the order of their identifiers; rows that are gone by now are left out.
  func models<T: PersistentModel>(
    for identifiers: ArraySlice<PersistentIdentifier>, as type: T.Type
  ) -> [T] {
    var byIdentifier: [PersistentIdentifier: T] = [:]
    let stored = identifiers.filter { !$0.isTemporary }
    if !stored.isEmpty, let store = coordinator.store(forEntity: T._$descriptor.entityName) {
      let snapshots =
        (try? StoreRequests(core: self).snapshots(
          for: Array(stored), as: T.self, in: store)) ?? []
      for model in materialize(.snapshots(snapshots), as: T.self) {
        byIdentifier[model.persistentModelID] = model
      }
    }
    return identifiers.compactMap { identifier in
      byIdentifier[identifier]
        ?? (identifier.isTemporary ? _model(for: identifier) as? T : nil)
    }
  }

  /// One model per identifier; a row that is gone by now gives a model that says so.
  func batch<T: PersistentModel>(
    of identifiers: ArraySlice<PersistentIdentifier>, as type: T.Type
  ) -> [T] {
    let found = models(for: identifiers, as: type)
    if found.count == identifiers.count { return found }
    let byIdentifier = Dictionary(
      found.map { ($0.persistentModelID, $0) }, uniquingKeysWith: { first, _ in first })
    return identifiers.map { identifier in
      byIdentifier[identifier]
        ?? Materialization.makeModel(type, over: .gone(identifier, type._$descriptor))
    }
  }

  /// A model for an identifier that leads nowhere.
  func placeholder(for identifier: PersistentIdentifier) -> any PersistentModel {
    func make<M: PersistentModel>(_ type: M.Type) -> any PersistentModel {
      Materialization.makeModel(type, over: .gone(identifier, type._$descriptor))
    }
    let type =
      coordinator.modelType(forEntity: identifier.entityName) ?? coordinator.anyModelType
    return make(type)
  }
}

extension _ModelStorage {
  /// The storage of a model whose row is gone.
  static func gone(
    _ identifier: PersistentIdentifier, _ descriptor: _ModelDescriptor
  ) -> _ModelStorage {
    let storage = _ModelStorage(descriptor)
    storage.knownIdentifier = identifier
    storage.flags.insert(.isGone)
    return storage
  }
}
