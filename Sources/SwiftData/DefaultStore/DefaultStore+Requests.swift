/// Requests of contexts, which the relational engine answers.
extension DefaultStore {
  /// The rows of a request.
  /// - Throws: `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort` for a request that
  ///   SQL can't answer whole, or the database's error.
  public func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, Snapshot> where T: PersistentModel {
    var whole = request.descriptor
    whole.propertiesToFetch = []
    let result = try engine.fetch(whole)
    try result.rest.requireNone()
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: result.rows.snapshots)
  }

  /// The number of rows of a request.
  /// - Throws: `DataStoreError.preferInMemoryFilter` for a predicate that SQL can't answer whole, or
  ///   the database's error.
  public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int
  where T: PersistentModel {
    try engine.count(request.descriptor)
  }

  /// The identifiers of the rows of a request.
  /// - Throws: `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort` for a request that
  ///   SQL can't answer whole, or the database's error.
  public func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    let found = try engine.keys(request.descriptor)
    try found.rest.requireNone()
    return found.keys.identifiers
  }

  /// Deletes the rows of a request at once, by the delete rules.
  /// - Throws: `DataStoreError.preferInMemoryFilter` for a predicate or rules that SQL can't answer,
  ///   `SwiftDataError.modelValidationFailure` for a violated rule, or the database's error;
  ///   nothing is deleted then.
  public func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws
  where T: PersistentModel {
    try requireWritable()
    try engine.delete(request.predicate, includeSubclasses: request.includeSubclasses)
  }

  func requireWritable() throws {
    if configuration.allowsSave { return }
    throw SwiftDataError.modelValidationFailure.with(
      "The store \(name) was opened with allowsSave: false.")
  }
}

extension DefaultStore: PartialFetching, KeyedFetching, RelationshipFetching, RuledDeleting {
  package func fetchPartially<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> PartialFetchResult {
    try engine.fetch(request.descriptor)
  }

  package func fetchKeys<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> FetchedKeys {
    try engine.keys(request.descriptor)
  }

  package func rows(
    of descriptor: _ModelDescriptor, withKeys keys: some Collection<Int64>, slots: Set<Int>?
  ) throws -> FetchedRows {
    try engine.rows(of: descriptor, withKeys: keys, slots: slots)
  }

  package func snapshot(for identifier: PersistentIdentifier) throws -> DefaultSnapshot? {
    try engine.snapshot(for: identifier)
  }

  package func destination(
    of descriptor: _ModelDescriptor, slot: Int, key: Int64
  ) -> PersistentIdentifier? {
    engine.destination(of: descriptor, slot: slot, key: key)
  }

  package func members(
    of identifier: PersistentIdentifier, slot: Int, descriptor: _ModelDescriptor
  ) throws -> [DefaultSnapshot] {
    try engine.members(of: identifier, slot: slot, descriptor: descriptor)
  }

  package func members(
    ofAll owners: [Int64], slot: Int, descriptor: _ModelDescriptor
  ) throws -> [Int64: [DefaultSnapshot]] {
    try engine.members(ofAll: owners, slot: slot, descriptor: descriptor)
  }

  package func entitiesConcerned(byDeletionOf descriptor: _ModelDescriptor) -> Set<String>? {
    engine.entitiesConcerned(byDeletionOf: descriptor)
  }
}

extension InMemoryRest {
  /// - Throws: What a store that leaves work to memory has to throw.
  fileprivate func requireNone() throws {
    if needsFilter { throw DataStoreError.preferInMemoryFilter }
    if needsSort { throw DataStoreError.preferInMemorySort }
  }
}
