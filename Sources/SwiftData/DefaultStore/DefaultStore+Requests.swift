extension DefaultStore: PortProviding {
  package var port: any StorePort { engine }
}

/// Requests through the public protocol, which the relational engine answers.
extension DefaultStore {
  /// The rows of a request.
  /// - Throws: `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort` for a request that
  ///   SQL can't answer whole, or `SwiftDataError.storeReadFailure`.
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

  /// The number of rows of a request.
  /// - Throws: `DataStoreError.preferInMemoryFilter` for a predicate that SQL can't answer whole, or
  ///   `SwiftDataError.storeReadFailure`.
  public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int
  where T: PersistentModel {
    guard let count = try engine.count(request) else { throw DataStoreError.preferInMemoryFilter }
    return count
  }

  /// The identifiers of the rows of a request.
  /// - Throws: `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort` for a request that
  ///   SQL can't answer whole, or `SwiftDataError.storeReadFailure`.
  public func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    guard let found = try engine.places(request) else { return [] }
    try found.rest.requireNone()
    return found.places.identifiers
  }

  /// Deletes the rows of a request at once, by the delete rules.
  /// - Throws: `DataStoreError.preferInMemoryFilter` for a predicate or rules that SQL can't answer,
  ///   `SwiftDataError.modelValidationFailure` for a violated rule, or `.storeWriteFailure`;
  ///   nothing is deleted then.
  public func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws
  where T: PersistentModel {
    try engine.delete(request)
  }

  /// Writes a save in one transaction.
  /// - Parameter request: What was inserted, updated and deleted.
  /// - Returns: The permanent identifiers of inserted models.
  /// - Throws: `SwiftDataError.modelValidationFailure` for a violated rule, or `.storeWriteFailure`;
  ///   nothing is stored then.
  public func save(
    _ request: DataStoreSaveChangesRequest<Snapshot>
  ) throws -> DataStoreSaveChangesResult<Snapshot> {
    let receipt: SaveReceipt
    do {
      receipt = try engine.save(
        DataStoreSaveChangesRequest(
          inserted: request.inserted, updated: request.updated,
          deleted: request.deleted.map(\.unchanged), editingState: request.editingState))
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

extension DefaultSnapshot {
  /// The same values as those that are stored: of a snapshot made elsewhere it is not known which differ.
  fileprivate var unchanged: DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: persistentIdentifier, descriptor: descriptor, page: page, row: row,
      cells: cells)
  }
}

extension InMemoryRest {
  /// - Throws: What a store that leaves work to memory has to throw.
  fileprivate func requireNone() throws {
    if needsFilter { throw DataStoreError.preferInMemoryFilter }
    if needsSort { throw DataStoreError.preferInMemorySort }
  }
}
