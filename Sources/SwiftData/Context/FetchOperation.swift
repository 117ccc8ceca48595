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

  /// Another request in place of one that has begun.
  private init(_ other: FetchOperation, _ descriptor: FetchDescriptor<T>) {
    core = other.core
    port = other.port
    self.descriptor = descriptor
  }

  /// What unsaved changes have to do with the request.
  private var pending: PendingMerge<T>? {
    guard descriptor.includePendingChanges, !core.changes.isEmpty else { return nil }
    return PendingMerge(core: core, descriptor: descriptor, port: port)
  }

  func models() throws -> [T] {
    let prefetched = descriptor.relationshipKeyPathsForPrefetching
    let pending = pending
    if prefetched.isEmpty, pending?.readsOtherRows != true { return try models(pending) }
    // Several statements have to see one state of the store.
    return try port.snapshot {
      let models = try models(pending)
      core.prefetch(prefetched, of: models)
      return models
    }
  }

  func count() throws -> Int {
    guard let pending else {
      if let count = try port.count(request(descriptor)) { return count }
      return try port.snapshot { try places(nil, areOfOneState: true).count }
    }
    return try port.snapshot {
      if let count = try pending.count() { return descriptor.range.count(of: count) }
      return try places(pending, areOfOneState: true).count
    }
  }

  func identifiers() throws -> [PersistentIdentifier] { try places().identifiers }

  /// Where the models are that `models()` would return.
  func places() throws -> FetchedPlaces { try places(pending, areOfOneState: false) }

  /// - Parameter areOfOneState: Whether all reads see one state of the store. Where not, what the store
  ///   has answered is judged once more for the rows as they are read.
  private func places(
    _ pending: PendingMerge<T>?, areOfOneState: Bool
  ) throws -> FetchedPlaces {
    if pending == nil, let found = try port.places(request(descriptor)) {
      if found.rest.isEmpty { return found.places }
      let rest = areOfOneState ? found.rest : InMemoryRest(needsFilter: true)
      if !found.rest.needsSort { return try matching(found.places, rest) }
    }
    return .identifiers(try models(pending).map(\.persistentModelID))
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

  /// Without what is to be prefetched.
  private func models(_ pending: PendingMerge<T>?) throws -> [T] {
    guard let pending else { return try storedModels() }
    return try pending.merge { request in
      var stored = request
      stored.includePendingChanges = false
      return try FetchOperation(self, stored).storedModels()
    }
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
