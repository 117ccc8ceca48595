extension DefaultStore: PortProviding {
  package var port: any StorePort { engine }
}

/// Requests of the public protocol, answered by the relational engine.
extension DefaultStore {
  /// Fetches the rows of a request as snapshots. Runs at least one SQL statement.
  /// - Throws: `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort` if SQL can't evaluate
  ///   the whole predicate or order, or `SwiftDataError.storeReadFailure`.
  public func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, Snapshot> where T: PersistentModel {
    var whole = request.descriptor
    whole.propertiesToFetch = []
    let result = try engine.rows(
      of: DataStoreFetchRequest(descriptor: whole, editingState: request.editingState))
    try result.rest.requireNone()
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: result.rows.snapshots)
  }

  /// Counts the rows of a request, without reading them.
  /// - Throws: `DataStoreError.preferInMemoryFilter` if SQL can't evaluate the whole predicate, or
  ///   `SwiftDataError.storeReadFailure`.
  public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int
  where T: PersistentModel {
    guard let count = try engine.count(request) else { throw DataStoreError.preferInMemoryFilter }
    return count
  }

  /// Fetches the identifiers of a request's rows, without their values.
  /// - Throws: `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort` if SQL can't evaluate
  ///   the whole predicate or order, or `SwiftDataError.storeReadFailure`.
  public func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    guard let found = try engine.identifiers(request) else { return [] }
    try found.rest.requireNone()
    return found.identifiers.identifiers
  }

  /// Deletes the rows of a request in one transaction, and applies the delete rules.
  /// - Throws: `DataStoreError.preferInMemoryFilter` if SQL can't evaluate the predicate or the
  ///   rules, `SwiftDataError.modelValidationFailure` for a violated rule, or `.storeWriteFailure`;
  ///   nothing is deleted then.
  public func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws
  where T: PersistentModel {
    try engine.delete(request)
  }

  /// Writes a save in one transaction.
  /// - Parameter request: The inserted, updated and deleted models.
  /// - Returns: The permanent identifiers of inserted models, and the history token of the save.
  /// - Throws: `SwiftDataError.modelValidationFailure` for a violated rule,
  ///   `.uniquenessViolation` if the request refuses upserts, or `.storeWriteFailure`; nothing is stored then.
  public func save(
    _ request: DataStoreSaveChangesRequest<Snapshot>
  ) throws -> DataStoreSaveChangesResult<Snapshot> {
    let receipt: SaveReceipt
    do {
      receipt = try engine.save(
        DataStoreSaveChangesRequest(
          inserted: request.inserted, updated: request.updated,
          deleted: request.deleted.map(\.unchanged), editingState: request.editingState,
          refusesUpserts: request.refusesUpserts))
    } catch let lost as DeletedRows {
      throw lost.error
    }
    return DataStoreSaveChangesResult(
      for: identifier,
      remappedIdentifiers: Dictionary(
        zip(request.inserted.lazy.map(\.persistentIdentifier), receipt.inserted),
        uniquingKeysWith: { first, _ in first }),
      historyToken: receipt.token)
  }
}

extension InMemoryRest {
  /// - Throws: The error by which a store leaves work to memory.
  fileprivate func requireNone() throws {
    if needsFilter { throw DataStoreError.preferInMemoryFilter }
    if needsSort { throw DataStoreError.preferInMemorySort }
  }
}
