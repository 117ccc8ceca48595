import Foundation

/// Fetches: each one starts here and continues in `FetchOperation` or `BatchReading`; look-ups by
/// identifier continue in the `IdentityRegistry` and the `FaultResolver`.
extension ModelContext {
  /// The models that match `descriptor`, including unsaved changes unless the descriptor excludes
  /// them.
  ///
  /// ```swift
  /// let now = Date.now
  /// let past = try context.fetch(
  ///   FetchDescriptor<Trip>(
  ///     predicate: #Predicate { $0.start < now && $0.stops.contains { $0.place == "Belém" } },
  ///     sortBy: [SortDescriptor(\.start, order: .reverse)]))
  /// ```
  ///
  /// Runs one statement, plus one for each relationship to prefetch, and reads the rows that match. If few
  /// rows match a part that SQL cannot express, a fetch with a limit runs several.
  /// A row that the context has in memory is returned as the same instance. Parts of the predicate
  /// that SQL cannot express are evaluated in memory, on the rows that match the other parts: on all
  /// of them, or with a limit on as many as it takes; see <doc:Predicates>.
  /// - Throws: `SwiftDataError.unsupportedPredicate` for a predicate that can't be evaluated,
  ///   `SwiftDataError.unknownSchema` for a class that the schema lacks, or the store's error.
  public func fetch<T>(_ descriptor: FetchDescriptor<T>) throws -> [T] where T: PersistentModel {
    try core.fetchOperation(descriptor).models()
  }

  /// The number of models that `fetch` with the same descriptor would return.
  /// - Throws: The same errors as ``fetch(_:)``.
  public func fetchCount<T>(_ descriptor: FetchDescriptor<T>) throws -> Int
  where T: PersistentModel {
    try core.fetchOperation(descriptor).count()
  }

  /// The identifiers of the models that `fetch` with the same descriptor would return.
  /// - Throws: `SwiftDataError.sortingPendingChangesWithIdentifiers` if the descriptor has an order
  ///   and includes unsaved changes while there are some, or the errors of ``fetch(_:)``.
  public func fetchIdentifiers<T>(_ descriptor: FetchDescriptor<T>) throws
    -> [PersistentIdentifier] where T: PersistentModel
  {
    if descriptor.includePendingChanges && !core.changes.isEmpty && !descriptor.sortBy.isEmpty {
      throw SwiftDataError.sortingPendingChangesWithIdentifiers.with(
        "Save first, set includePendingChanges to false, or fetch the models and read their "
          + "identifiers.", entity: T._$descriptor.entityName)
    }
    return try core.fetchOperation(descriptor).identifiers()
  }

  /// The matching models as a collection that reads rows in batches, when they are accessed.
  ///
  /// Runs one statement for the keys, which take eight bytes for each row, and one for each batch.
  /// This call determines which models are in the collection. A model that is deleted later keeps
  /// its position and reports that it is deleted.
  /// - Parameters:
  ///   - descriptor: What to fetch.
  ///   - batchSize: How many models to read at a time; all of them if it is less than 1.
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` if the descriptor includes
  ///   unsaved changes while there are some, or the errors of ``fetch(_:)``.
  public func fetch<T>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<T> where T: PersistentModel {
    let reading = try batchReading(descriptor)
    return FetchResultsCollection(
      count: reading.identifiers.count,
      batchSize: batchSize < 1 ? reading.identifiers.count : batchSize,
      read: reading.modelsOrPlaceholders)
  }

  /// The matching identifiers as a collection, which takes eight bytes for each.
  /// - Parameters:
  ///   - descriptor: What to fetch.
  ///   - batchSize: How many identifiers to create at a time.
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` if the descriptor includes
  ///   unsaved changes while there are some, or the errors of ``fetch(_:)``.
  public func fetchIdentifiers<T>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> where T: PersistentModel {
    let identifiers = try batchReading(descriptor).identifiers
    return FetchResultsCollection(
      count: identifiers.count, batchSize: batchSize < 1 ? identifiers.count : batchSize
    ) { range in
      range.map { identifiers[$0] }
    }
  }

  private func batchReading<T>(_ descriptor: FetchDescriptor<T>) throws -> BatchReading<T> {
    if descriptor.includePendingChanges && !core.changes.isEmpty {
      throw SwiftDataError.includePendingChangesWithBatchSize.with(
        "Save first, or set includePendingChanges to false.", entity: T._$descriptor.entityName)
    }
    return BatchReading(
      prefetcher: core.prefetcher, descriptor: descriptor,
      identifiers: try core.fetchOperation(descriptor).fetchedIdentifiers())
  }

  /// Calls `block` with each matching model; reads rows in batches.
  ///
  /// ```swift
  /// try context.enumerate(FetchDescriptor<Trip>(), batchSize: 1000) { trip in
  ///   print(trip.name)
  /// }
  /// ```
  ///
  /// Runs one statement for the keys, which take eight bytes for each row, and one for each batch.
  /// See <doc:GettingStarted>. The models are determined at the beginning; models that are deleted
  /// before their turn are skipped. A batch is released after it has been visited, so any number of
  /// rows can be enumerated.
  /// - Parameters:
  ///   - fetch: What to enumerate.
  ///   - batchSize: How many rows to read at a time; all of them if it is less than 1.
  ///   - allowEscapingMutations: Whether `block` may leave unsaved changes in the context.
  ///   - block: Called with each model.
  /// - Throws: Errors of `block`, the errors of ``fetch(_:)``, or
  ///   `SwiftDataError.modelValidationFailure` if `block` leaves unsaved changes without
  ///   permission.
  public func enumerate<T>(
    _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
    block: (_ model: T) throws -> Void
  ) throws where T: PersistentModel {
    let reading = BatchReading(
      prefetcher: core.prefetcher, descriptor: fetch,
      identifiers: try core.fetchOperation(fetch).fetchedIdentifiers())
    var known = core.changes.size
    for range in reading.batches(of: batchSize) {
      for case let model? in try reading.models(at: range) {
        let flags = model._$storage.flags
        if flags.contains(.hasNoRow) || fetch.includePendingChanges && flags.contains(.isDeleted) {
          continue
        }
        try block(model)
        known = min(known, core.changes.size)
        if !allowEscapingMutations && core.changes.size > known {
          throw SwiftDataError.modelValidationFailure.with(
            "The closure of enumerate left unsaved changes. Save them in the closure, or pass "
              + "allowEscapingMutations: true.", entity: T._$descriptor.entityName,
            because: .invalidRequest)
        }
      }
    }
  }

  /// The model with an identifier; a fault if it is not in memory.
  ///
  /// Runs no statement; the row is read with the first property, or for `isDeleted`. If no store of
  /// the container has such a row, `isDeleted` is true, `modelContext` is nil, and the properties
  /// read as placeholder values; see ``UnreadableValue``. A deleted model that the program still has is
  /// returned itself, with its last values, unless a thousand others were deleted since.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    core.externalChanges.applyNew()
    if let deleted = core.identities.deletedModel(for: persistentModelID.resolved) {
      return deleted
    }
    return core.faults.fault(for: persistentModelID, in: core)
      ?? core.faults.placeholder(for: persistentModelID)
  }

  /// The model with an identifier if it is in memory, else `nil`; also a deleted one that the program
  /// still has. Runs no statement.
  public func registeredModel<T>(for persistentModelID: PersistentIdentifier) -> T?
  where T: PersistentModel {
    let identifier = persistentModelID.resolved
    return core.identities.model(for: identifier)?.model as? T
      ?? core.identities.deletedModel(for: identifier) as? T
  }
}
