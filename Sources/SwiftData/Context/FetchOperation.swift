import Foundation

/// One fetch, from the request to the models. Created by `ModelContext.fetch`, `fetchCount`,
/// `fetchIdentifiers` and `enumerate`; external changes are applied before it starts.
///
/// 1. The store answers from its rows, and reports what must be done in memory.
/// 2. Rows become models; the identity registry provides those that are in memory. A fetch without
///    unsaved changes evaluates conditions in memory on models of its own. With a limit only the first
///    rows are read for that; if fewer of them match, all are read in batches, until enough match.
/// 3. If unsaved changes may matter, `PendingMerge` evaluates them in memory. Limit and offset are
///    applied after everything that is done in memory.
/// 4. Relationships of the remaining models are prefetched.
struct FetchOperation<T: PersistentModel> {
  let prefetcher: Prefetcher
  let descriptor: FetchDescriptor<T>
  let port: any StorePort
  /// Reads models without the unsaved changes of the context; `nil` if they are evaluated later.
  private let readStored: StoredReading?

  /// Runs `body` with a prefetcher of models that are not in the context of the given one.
  typealias StoredReading = (
    _ prefetcher: Prefetcher, _ body: (Prefetcher) throws -> Void
  ) throws -> Void

  init(
    _ prefetcher: Prefetcher, _ descriptor: FetchDescriptor<T>, _ port: any StorePort,
    readStored: @escaping StoredReading
  ) {
    self.prefetcher = prefetcher
    self.descriptor = descriptor
    self.port = port
    self.readStored = readStored
  }

  /// The same fetch with another descriptor.
  private init(
    _ other: FetchOperation, _ descriptor: FetchDescriptor<T>, _ readStored: StoredReading?
  ) {
    prefetcher = other.prefetcher
    port = other.port
    self.readStored = readStored
    self.descriptor = descriptor
  }

  private var mayReadPendingChanges: Bool {
    descriptor.includePendingChanges && !prefetcher.materializer.changes.isEmpty
  }

  /// Reads the models on which conditions are evaluated in memory; `nil` for those of the context.
  private var storedReading: StoredReading? {
    descriptor.includePendingChanges || prefetcher.materializer.changes.isEmpty ? nil : readStored
  }

  /// How unsaved changes affect the request; `nil` if they don't.
  private var pending: PendingMerge<T>? {
    guard mayReadPendingChanges else { return nil }
    return PendingMerge(prefetcher: prefetcher, descriptor: descriptor, port: port)
  }

  func models() throws -> [T] {
    // Most fetches. What follows looks up generic types at run time.
    if !mayReadPendingChanges, !descriptor.relationshipKeyPathsForPrefetching.hasElements {
      return try storedModels()
    }
    let prefetched = descriptor.relationshipKeyPathsForPrefetching
    let pending = pending
    if prefetched.isEmpty, pending?.readsOtherRows != true { return try models(pending) }
    let tree = PrefetchTree(prefetched, of: T.self, in: prefetcher.stores.coordinator)
    // All statements must see one state of the store.
    return try prefetcher.readingOneState(of: port) {
      if let pending {
        let models = try models(pending)
        prefetcher.prefetch(tree, of: models)
        // A prefetch that was interrupted has read less, without an error.
        try ReadInterruption.check()
        return models
      }
      let found = try port.rows(of: request(descriptor), leadingTo: tree.slots)
      let models = try storedModels(found)
      prefetcher.prefetch(tree, of: models, found.ahead)
      try ReadInterruption.check()
      return models
    }
  }

  func count() throws -> Int {
    guard descriptor.sortBy.isEmpty else {
      var unordered = descriptor
      unordered.sortBy = []
      return try FetchOperation(self, unordered, readStored).count()
    }
    guard let pending else {
      if let count = try port.count(request(descriptor)) { return count }
      return try prefetcher.readingOneState(of: port) {
        try fetchedIdentifiers(nil, areOfOneState: true).count
      }
    }
    return try prefetcher.readingOneState(of: port) {
      var all = descriptor
      (all.fetchLimit, all.fetchOffset) = (nil, nil)
      let count = try pending.count { try FetchOperation(self, all, nil).matching($0, $1).count }
      if let count { return descriptor.range.count(of: count) }
      return try fetchedIdentifiers(pending, areOfOneState: true).count
    }
  }

  func identifiers() throws -> [PersistentIdentifier] { try fetchedIdentifiers().identifiers }

  /// The identifiers of the models that `models()` would return.
  func fetchedIdentifiers() throws -> FetchedIdentifiers {
    try fetchedIdentifiers(pending, areOfOneState: false)
  }

  /// - Parameter areOfOneState: Whether all reads see one state of the store. If not, the
  ///   conditions that the store has evaluated are evaluated again on the rows as they are read.
  private func fetchedIdentifiers(
    _ pending: PendingMerge<T>?, areOfOneState: Bool
  ) throws -> FetchedIdentifiers {
    if pending == nil, let found = try port.identifiers(request(descriptor)) {
      if found.rest.isEmpty { return found.identifiers }
      let rest = areOfOneState ? found.rest : InMemoryRest(needsFilter: true)
      if !found.rest.needsSort { return try matching(found.identifiers, rest) }
    }
    return .identifiers(try models(pending).map(\.persistentModelID))
  }

  /// The identifiers of the models that match, after limit and offset.
  private func matching(
    _ candidates: FetchedIdentifiers, _ rest: InMemoryRest
  ) throws -> FetchedIdentifiers {
    if descriptor.predicate == nil { return candidates }
    var positions: [Int] = []
    try forEachMatch(among: candidates, rest) { position, _ in positions.append(position) }
    return candidates.picking(positions)
  }

  /// Evaluates conditions on candidates in their order, until limit and offset are reached. Rows are read
  /// in batches, so that memory does not grow with their number.
  /// - Parameter body: Called with the position and the model of each match after the offset.
  private func forEachMatch(
    among candidates: FetchedIdentifiers, _ rest: InMemoryRest, _ body: (Int, T) -> Void
  ) throws {
    // Candidates need no relationships.
    var whole = descriptor
    (whole.propertiesToFetch, whole.relationshipKeyPathsForPrefetching) = ([], [])
    let predicate = descriptor.predicate
    let range = descriptor.range
    let end = range.end(behind: 0)
    func judge(_ prefetcher: Prefetcher) throws {
      let reading = BatchReading(
        prefetcher: prefetcher, descriptor: whole, identifiers: candidates)
      var count = 0
      for batch in reading.growingBatches(from: range.firstCandidateCount) {
        let models = try reading.models(at: batch)
        if storedReading != nil { models.compactMap(\.self).forEach(takeEphemeralValues) }
        for (position, model) in zip(batch, models) {
          guard let model, try predicate?.matches(rest: rest, model) ?? true else { continue }
          count += 1
          if count > range.offset { body(position, model) }
          if count == end { return }
        }
      }
    }
    if let storedReading {
      try storedReading(prefetcher, judge)
    } else {
      try judge(prefetcher)
    }
  }

  private func request(_ descriptor: FetchDescriptor<T>) -> DataStoreFetchRequest<T> {
    DataStoreFetchRequest(descriptor: descriptor, editingState: prefetcher.editingState)
  }

  /// The models, without prefetched relationships.
  private func models(_ pending: PendingMerge<T>?) throws -> [T] {
    guard let pending else { return try storedModels() }
    return try pending.merge { request in
      var stored = request
      stored.includePendingChanges = false
      return try FetchOperation(self, stored, nil).storedModels()
    }
  }

  private func storedModels() throws -> [T] {
    try storedModels(port.rows(of: request(descriptor)))
  }

  private func storedModels(_ result: FetchedModels) throws -> [T] {
    let materializer = prefetcher.materializer
    materializer.register(related: result.related, in: prefetcher.source)
    let models = materializer.materialize(
      result.rows, as: T.self, in: prefetcher.source, keepsRelated: true)
    if result.rest.isEmpty { return models }
    var found: [T] = []
    if let storedReading {
      try storedReading(prefetcher) { reader in
        let stored = reader.materializer.materialize(result.rows, as: T.self, in: reader.source)
        stored.forEach(takeEphemeralValues)
        let known = Dictionary(models.map { ($0.persistentModelID, $0) }) { first, _ in first }
        found = try applying(result.rest, to: stored).compactMap { known[$0.persistentModelID] }
      }
    } else {
      found = try applying(result.rest, to: models)
    }
    if result.isPart, let end = descriptor.range.end(behind: 0), found.count < end {
      return try modelsInBatches(result.rest)
    }
    return Array(descriptor.range.slice(found))
  }

  /// The models of a request for which the first rows were not enough. It begins anew, because all
  /// statements must see one state of the store.
  private func modelsInBatches(_ rest: InMemoryRest) throws -> [T] {
    // Only models that match need their relationships, which the caller prefetches.
    var whole = descriptor
    (whole.propertiesToFetch, whole.relationshipKeyPathsForPrefetching) = ([], [])
    let operation = FetchOperation(self, whole, readStored)
    return try prefetcher.readingOneState(of: port) {
      let candidates = try port.candidates(of: request(whole))
      if storedReading != nil {
        let found = try operation.matching(candidates, rest)
        let reading = BatchReading(
          prefetcher: prefetcher, descriptor: whole, identifiers: found)
        return try reading.models(at: 0..<found.count).compactMap(\.self)
      }
      var models: [T] = []
      try operation.forEachMatch(among: candidates, rest) { models.append($1) }
      return models
    }
  }

  /// No store has the values of ephemeral properties, so they are those of the context's instance.
  private func takeEphemeralValues(_ model: T) {
    let storage = model._$storage
    let slots = storage.descriptor.ephemeralSlots
    guard !slots.isEmpty, let identifier = storage.knownIdentifier,
      let known = prefetcher.materializer.registered(identifier)?.storage
    else { return }
    for slot in 0..<storage.descriptor.slotCount where slots.contains(slot) {
      storage.overlay(known.overlaid(slot), at: slot)
    }
  }

  /// Does in memory what the store has left, without limit and offset.
  private func applying(_ rest: InMemoryRest, to models: [T]) throws -> [T] {
    var models = models
    if rest.needsFilter, let predicate = descriptor.predicate {
      models = try models.filter { try predicate.matches(rest: rest, $0) }
    }
    if rest.needsSort { ModelOrder(descriptor.sortBy).sort(&models) }
    return models
  }
}
