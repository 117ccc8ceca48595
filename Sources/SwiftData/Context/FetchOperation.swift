import Foundation

/// One fetch, from the request to the models. Made by `ModelContext.fetch`, `fetchCount`,
/// `fetchIdentifiers` and `enumerate`; external changes are applied before it starts.
///
/// 1. The store answers from its rows, and says what it left to do in memory.
/// 2. Rows become models; the identity registry gives those that are in memory.
/// 3. Where unsaved changes may matter, `PendingMerge` judges them in memory. Limit and offset are
///    applied after everything that is done in memory.
/// 4. Relationships are prefetched for the models that are left.
struct FetchOperation<T: PersistentModel> {
  let core: ContextCore
  let descriptor: FetchDescriptor<T>
  let port: any StorePort

  init(core: ContextCore, descriptor: FetchDescriptor<T>) throws {
    self.core = core
    self.descriptor = descriptor
    port = try core.coordinator.port(of: T._$descriptor)
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
    if pending == nil, let count = try port.count(request(descriptor)) { return count }
    return try places().count
  }

  func identifiers() throws -> [PersistentIdentifier] { try places().identifiers }

  /// Where the models are that `models()` would return.
  func places() throws -> FetchedPlaces {
    if pending == nil, let found = try port.places(request(descriptor)) {
      if found.rest.isEmpty { return found.places }
      if !found.rest.needsSort { return try matching(found.places, found.rest) }
    }
    return .identifiers(try unprefetchedModels().map(\.persistentModelID))
  }

  /// The places of the models that match, limit and offset applied. Rows are read a batch at a time,
  /// so that their number doesn't matter.
  private func matching(_ candidates: FetchedPlaces, _ rest: InMemoryRest) throws -> FetchedPlaces {
    guard let predicate = descriptor.predicate else { return candidates }
    var whole = descriptor
    whole.propertiesToFetch = []
    let reading = BatchReading(core: core, descriptor: whole, places: candidates)
    var positions: [Int] = []
    for range in reading.batches(of: 1000) {
      let models = try reading.models(at: range)
      for (position, model) in zip(range, models) {
        if let model, try predicate.matches(rest: rest, model) { positions.append(position) }
      }
    }
    return candidates.picking(descriptor.range.slice(positions))
  }

  private func request(_ descriptor: FetchDescriptor<T>) -> DataStoreFetchRequest<T> {
    DataStoreFetchRequest(descriptor: descriptor, editingState: core.editingState)
  }

  private func unprefetchedModels() throws -> [T] {
    if let pending {
      return Array(
        descriptor.range.slice(
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
    let result = try port.rows(of: request(descriptor))
    core.register(related: result.related)
    var models = core.materialize(result.rows, as: T.self)
    if result.rest.isEmpty { return models }
    if result.rest.needsFilter, let predicate = descriptor.predicate {
      models = try models.filter { try predicate.matches(rest: result.rest, $0) }
    }
    if result.rest.needsSort { ModelOrder(descriptor.sortBy).sort(&models) }
    return Array(descriptor.range.slice(models))
  }
}
