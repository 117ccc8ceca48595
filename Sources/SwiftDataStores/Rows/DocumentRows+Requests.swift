import SwiftData

/// The answers to requests of contexts.
extension DocumentRows {
  func makeContext() -> DocumentDecoder.Context {
    DocumentDecoder.Context(storeIdentifier: storeIdentifier, schema: shape.schema)
  }

  /// - Throws: `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort`.
  mutating func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    let found = try identifiers(of: request)
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: try snapshots(of: found))
  }

  /// - Throws: `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort`.
  func identifiers<T: PersistentModel>(
    of request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    let descriptor = request.descriptor
    if descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let all = identifiers(of: Schema.entityName(for: T.self))
    return Array(
      all.dropFirst(descriptor.fetchOffset ?? 0).prefix(descriptor.fetchLimit ?? all.count))
  }

  /// The snapshots of existing rows.
  mutating func snapshots(
    of identifiers: some Collection<PersistentIdentifier>
  ) throws -> [DefaultSnapshot] {
    let context = makeContext()
    var found: [DefaultSnapshot] = []
    found.reserveCapacity(identifiers.count)
    for identifier in identifiers {
      if let snapshot = try snapshot(of: identifier, context) { found.append(snapshot) }
    }
    return found
  }

  mutating func cachedSnapshots(
    for identifiers: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    Dictionary(
      try snapshots(of: identifiers).map { ($0.persistentIdentifier, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The answer to a save that was applied.
  mutating func result(of changes: SaveChanges) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let corrected = try cachedSnapshots(for: changes.corrected.sorted())
    return DataStoreSaveChangesResult(
      for: storeIdentifier, remappedIdentifiers: changes.permanent,
      snapshotsToReregister: corrected)
  }

  /// The rows that a batch deletion concerns.
  /// - Throws: `DataStoreError.preferInMemoryFilter` if the context has to find them.
  func identifiers<T: PersistentModel>(
    of request: DataStoreBatchDeleteRequest<T>
  ) throws -> [PersistentIdentifier] {
    if request.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    let entity = Schema.entityName(for: T.self)
    return identifiers(of: entity).filter { request.includeSubclasses || $0.entityName == entity }
  }
}
