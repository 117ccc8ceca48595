import Foundation

/// One fetch, from the request to the models.
///
/// 1. The store answers from its rows, and says what it left to do in memory.
/// 2. Rows become models; the identity map gives those that are in memory.
/// 3. Where unsaved changes may matter, `PendingMerge` judges them in memory. Limit and offset are
///    applied after everything that is done in memory.
/// 4. Relationships are prefetched for the models that are left.
struct FetchOperation<T: PersistentModel> {
  let core: ContextCore
  let descriptor: FetchDescriptor<T>
  let store: any DataStore

  init(core: ContextCore, descriptor: FetchDescriptor<T>) throws {
    let name = T._$descriptor.entityName
    guard let store = core.coordinator.store(forEntity: name),
      core.coordinator.modelType(forEntity: name) == T.self
    else {
      throw SwiftDataError.unknownSchema.with(
        "The class \(T.self) is not in the schema of this container. Add it to "
          + "ModelContainer(for:).", entity: name)
    }
    self.core = core
    self.descriptor = descriptor
    self.store = store
    core.applyExternalChanges()
  }

  private var pending: PendingMerge<T>? {
    guard descriptor.includePendingChanges, !core.changes.isEmpty else { return nil }
    return PendingMerge(core: core, descriptor: descriptor)
  }

  func models() throws -> [T] {
    let models = try unprefetchedModels()
    if descriptor.relationshipKeyPathsForPrefetching.count > 0 {
      core.prefetch(descriptor.relationshipKeyPathsForPrefetching, of: models)
    }
    return models
  }

  func count() throws -> Int {
    if pending == nil {
      do {
        return try store.fetchCount(request(descriptor))
      } catch is DataStoreError {}
    }
    return try places().count
  }

  func identifiers() throws -> [PersistentIdentifier] {
    if pending == nil, !(store is any KeyedFetching) {
      do {
        return try store.fetchIdentifiers(request(descriptor))
      } catch is DataStoreError {}
    }
    return try places().identifiers
  }

  /// Where the models are that `models()` would return.
  func places() throws -> FetchedPlaces {
    if pending == nil, let store = store as? any KeyedFetching {
      let found = try store.fetchKeys(request(descriptor))
      if found.rest.isEmpty { return .keys(found.keys) }
      if !found.rest.needsSort { return .keys(try matching(found.keys, found.rest)) }
    }
    return .identifiers(try unprefetchedModels().map(\.persistentModelID))
  }

  /// The keys of the models that match, limit and offset applied. Rows are read a batch at a time,
  /// so that their number doesn't matter.
  private func matching(_ candidates: RowKeys, _ rest: InMemoryRest) throws -> RowKeys {
    guard let predicate = descriptor.predicate else { return candidates }
    var whole = descriptor
    whole.propertiesToFetch = []
    let reading = BatchReading(core: core, descriptor: whole, places: .keys(candidates))
    var positions: [Int] = []
    for range in reading.batches(of: 1000) {
      let models = try reading.models(at: range)
      for (position, model) in zip(range, models) {
        if let model, try predicate.matches(rest: rest, model) { positions.append(position) }
      }
    }
    return candidates.picking(sliced(positions))
  }

  private func request(_ descriptor: FetchDescriptor<T>) -> DataStoreFetchRequest<T> {
    DataStoreFetchRequest(descriptor: descriptor, editingState: core.editingState)
  }

  private func unprefetchedModels() throws -> [T] {
    if let pending {
      return Array(
        sliced(
          try pending.merge { request in
            var unlimited = request
            unlimited.fetchLimit = nil
            unlimited.fetchOffset = nil
            unlimited.includePendingChanges = false
            return try FetchOperation(core: core, descriptor: unlimited).storedModels()
          }))
    }
    return try storedModels()
  }

  private func storedModels() throws -> [T] {
    let result = try StoreRequests(core: core).fetch(descriptor, in: store)
    var models = core.materialize(result.rows, as: T.self)
    if result.rest.isEmpty { return models }
    if result.rest.needsFilter, let predicate = descriptor.predicate {
      models = try models.filter { try predicate.matches(rest: result.rest, $0) }
    }
    if result.rest.needsSort { ModelOrder(descriptor.sortBy).sort(&models) }
    return Array(sliced(models))
  }

  private func sliced<Element>(_ elements: [Element]) -> ArraySlice<Element> {
    let rest = elements.dropFirst(max(0, descriptor.fetchOffset ?? 0))
    guard let limit = descriptor.fetchLimit, limit > 0 else { return rest }
    return rest.prefix(limit)
  }
}
