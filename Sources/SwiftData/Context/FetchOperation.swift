import Foundation

/// One fetch, from the request to the models. Created by `ModelContext.fetch`, `fetchCount`,
/// `fetchIdentifiers` and `enumerate`; external changes are applied before it starts.
///
/// 1. The store answers from its rows, and reports what must be done in memory.
/// 2. Rows become models; the identity registry provides those that are in memory. A fetch without
///    unsaved changes evaluates conditions in memory on models of its own.
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
    if !mayReadPendingChanges, descriptor.relationshipKeyPathsForPrefetching.isEmpty {
      return try storedModels()
    }
    let prefetched = descriptor.relationshipKeyPathsForPrefetching
    let pending = pending
    if prefetched.isEmpty, pending?.readsOtherRows != true { return try models(pending) }
    let tree = PrefetchTree(prefetched, of: T.self, in: prefetcher.stores.coordinator)
    // All statements must see one state of the store.
    return try port.snapshot(canRepeat: { true }) {
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
      return try port.snapshot(canRepeat: { true }) {
        try fetchedIdentifiers(nil, areOfOneState: true).count
      }
    }
    return try port.snapshot(canRepeat: { true }) {
      if let count = try pending.count() { return descriptor.range.count(of: count) }
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

  /// The identifiers of the models that match, after limit and offset. Rows are read in batches, so
  /// that memory does not grow with their number.
  private func matching(_ candidates: FetchedIdentifiers, _ rest: InMemoryRest) throws
    -> FetchedIdentifiers
  {
    guard let predicate = descriptor.predicate else { return candidates }
    var whole = descriptor
    whole.propertiesToFetch = []
    var positions: [Int] = []
    func judge(_ prefetcher: Prefetcher) throws {
      let reading = BatchReading(
        prefetcher: prefetcher, descriptor: whole, identifiers: candidates)
      for range in reading.batches(of: 1000) {
        let models = try reading.models(at: range)
        if storedReading != nil { models.compactMap(\.self).forEach(takeEphemeralValues) }
        for (position, model) in zip(range, models) {
          if let model, try predicate.matches(rest: rest, model) { positions.append(position) }
        }
      }
    }
    if let storedReading {
      try storedReading(prefetcher, judge)
    } else {
      try judge(prefetcher)
    }
    return candidates.picking(descriptor.range.slice(positions))
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
    let models = materializer.materialize(result.rows, as: T.self, in: prefetcher.source)
    if result.rest.isEmpty { return models }
    guard let storedReading else { return try applying(result.rest, to: models) }
    var found: [T] = []
    try storedReading(prefetcher) { reader in
      let stored = reader.materializer.materialize(result.rows, as: T.self, in: reader.source)
      stored.forEach(takeEphemeralValues)
      let known = Dictionary(models.map { ($0.persistentModelID, $0) }) { first, _ in first }
      found = try applying(result.rest, to: stored).compactMap { known[$0.persistentModelID] }
    }
    return found
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

  /// Does in memory what the store has left.
  private func applying(_ rest: InMemoryRest, to models: [T]) throws -> [T] {
    var models = models
    if rest.needsFilter, let predicate = descriptor.predicate {
      models = try models.filter { try predicate.matches(rest: rest, $0) }
    }
    if rest.needsSort { ModelOrder(descriptor.sortBy).sort(&models) }
    return Array(descriptor.range.slice(models))
  }
}
