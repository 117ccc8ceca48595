import Foundation

/// The ways to get models: all of them begin here and go on in `FetchOperation` or `BatchReading`,
/// those by identifier in the `IdentityRegistry` and the `FaultResolver`.
extension ModelContext {
  /// The models that match `descriptor`, unsaved changes included unless it says otherwise.
  ///
  /// ```swift
  /// let now = Date.now
  /// let past = try context.fetch(
  ///   FetchDescriptor<Trip>(
  ///     predicate: #Predicate { $0.start < now && $0.stops.contains { $0.place == "Belém" } },
  ///     sortBy: [SortDescriptor(\.start, order: .reverse)]))
  /// ```
  ///
  /// Runs one statement, and one more for each path to prefetch, and reads the rows that match. A row
  /// that the context has in memory is the instance that it was. Parts of the predicate that SQL cannot
  /// express are evaluated in memory, on all rows that the other parts leave; see <doc:Predicates>.
  /// - Throws: `SwiftDataError.unsupportedPredicate`, `.unsupportedSortDescriptor` or
  ///   `.unsupportedKeyPath` for requests that can't be answered, or the store's error.
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
  /// - Throws: `SwiftDataError.sortingPendingChangesWithIdentifiers` for an order while there are unsaved
  ///   changes that the descriptor wants to see, or the store's error.
  public func fetchIdentifiers<T>(_ descriptor: FetchDescriptor<T>) throws
    -> [PersistentIdentifier] where T: PersistentModel
  {
    if descriptor.includePendingChanges && hasChanges && !descriptor.sortBy.isEmpty {
      throw SwiftDataError.sortingPendingChangesWithIdentifiers.with(
        "Save first, set includePendingChanges to false, or fetch the models and take their "
          + "identifiers.", entity: T._$descriptor.entityName)
    }
    return try FetchOperation(core: core, descriptor: descriptor).identifiers()
  }

  /// The matching models as a collection that reads a batch of rows when it is touched.
  ///
  /// Which models are in it is settled by this call. One that is deleted later stays in its place and says that
  /// it is deleted.
  /// - Parameters:
  ///   - descriptor: What to fetch.
  ///   - batchSize: How many models to read at a time; all of them when it is less than 1.
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` while there are unsaved changes
  ///   that the descriptor wants to see.
  public func fetch<T>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<T> where T: PersistentModel {
    let reading = try batchReading(descriptor)
    return FetchResultsCollection(
      count: reading.places.count, batchSize: batchSize < 1 ? reading.places.count : batchSize,
      read: reading.modelsOrPlaceholders)
  }

  /// The matching identifiers as a collection, which takes eight bytes for each.
  /// - Parameters:
  ///   - descriptor: What to fetch.
  ///   - batchSize: How many identifiers to make at a time.
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` while there are unsaved changes
  ///   that the descriptor wants to see.
  public func fetchIdentifiers<T>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> where T: PersistentModel {
    let places = try batchReading(descriptor).places
    return FetchResultsCollection(
      count: places.count, batchSize: batchSize < 1 ? places.count : batchSize
    ) { range in
      range.map { places[$0] }
    }
  }

  private func batchReading<T>(_ descriptor: FetchDescriptor<T>) throws -> BatchReading<T> {
    if descriptor.includePendingChanges && hasChanges {
      throw SwiftDataError.includePendingChangesWithBatchSize.with(
        "Save first, or set includePendingChanges to false.", entity: T._$descriptor.entityName)
    }
    return BatchReading(
      core: core, descriptor: descriptor,
      places: try FetchOperation(core: core, descriptor: descriptor).places())
  }

  /// Calls `block` with each matching model, reading a batch of rows at a time.
  ///
  /// ```swift
  /// try context.enumerate(FetchDescriptor<Trip>(), batchSize: 1000) { trip in
  ///   print(trip.name)
  /// }
  /// ```
  ///
  /// Runs one statement for the keys, which take eight bytes for each row, and one for each batch. See
  /// <doc:GettingStarted>.
  /// Which models are visited is settled at the beginning; those that are deleted before their turn are left out.
  /// A batch is released when it has been visited, so any number of rows can be enumerated.
  /// - Parameters:
  ///   - fetch: What to enumerate.
  ///   - batchSize: How many rows to read at a time; all of them when it is less than 1.
  ///   - allowEscapingMutations: Whether `block` may leave unsaved changes in the context.
  ///   - block: What to do with each model.
  /// - Throws: What `block` throws, what ``fetch(_:)`` throws, or
  ///   `SwiftDataError.modelValidationFailure` when `block` leaves changes behind that it may not.
  public func enumerate<T>(
    _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
    block: (_ model: T) throws -> Void
  ) throws where T: PersistentModel {
    let reading = BatchReading(
      core: core, descriptor: fetch,
      places: try FetchOperation(core: core, descriptor: fetch).places())
    var known = core.changes.size
    for range in reading.batches(of: batchSize) {
      for case let model? in try reading.models(at: range) {
        let flags = model._$storage.flags
        if flags.contains(.isGone) || fetch.includePendingChanges && flags.contains(.isDeleted) {
          continue
        }
        try block(model)
        known = min(known, core.changes.size)
        if !allowEscapingMutations && core.changes.size > known {
          throw SwiftDataError.modelValidationFailure.with(
            "The closure of enumerate left unsaved changes. Save them in the closure, or pass "
              + "allowEscapingMutations: true.", entity: T._$descriptor.entityName)
        }
      }
    }
  }

  /// The model with an identifier, as a fault where it is not in memory.
  ///
  /// Runs no statement; the row is read with the first property, or for `isDeleted`. Where no store of the
  /// container has such a row, `isDeleted` is true, `modelContext` nil, and the properties read as
  /// stand-ins; see ``UnreadableValue``.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    core.applyExternalChanges()
    if let model = core.faults.fault(for: persistentModelID) as? any PersistentModel {
      return model
    }
    return core.faults.placeholder(for: persistentModelID)
  }

  /// The model with an identifier, if it is in memory.
  public func registeredModel<T>(for persistentModelID: PersistentIdentifier) -> T?
  where T: PersistentModel {
    core.registered(persistentModelID.resolved)?.model as? T
  }
}

extension _ModelStorage {
  /// The storage of a model whose row is gone.
  static func gone(
    _ identifier: PersistentIdentifier, _ descriptor: _ModelDescriptor
  ) -> _ModelStorage {
    let storage = _ModelStorage(descriptor)
    storage.knownIdentifier = identifier
    storage.becomeDetached()
    return storage
  }
}
