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
  mutating func identifiers<T: PersistentModel>(
    of request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    let query = try request.query()
    guard query.condition == nil, query.order.isEmpty else { return try identifiers(of: query) }
    let all = identifiers(of: query.entity).dropFirst(query.offset)
    return Array(query.limit.map { all.prefix($0) } ?? all)
  }

  private mutating func identifiers(of query: DataStoreQuery) throws -> [PersistentIdentifier] {
    do {
      return try QueryEvaluator(schema: shape.schema, rows: rowsForQueries())
        .identifiers(of: query)
    } catch is QueryEvaluationError {
      throw query.condition == nil
        ? DataStoreError.preferInMemorySort : DataStoreError.preferInMemoryFilter
    }
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

  /// The rows of an entity and its subentities in which some stored relationships lead to some rows.
  mutating func snapshots(
    of entity: String, leadingTo targets: Set<PersistentIdentifier>, through properties: Set<String>
  ) throws -> [DefaultSnapshot] {
    let found = targets.flatMap { target in
      referrers(of: target).filter {
        properties.contains($0.property) && shape.isKind($0.row.entityName, of: entity)
      }
    }
    return try snapshots(of: Set(found.map(\.row)).sorted())
  }

  mutating func cachedSnapshots(
    for identifiers: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    Dictionary(
      try snapshots(of: identifiers).map { ($0.persistentIdentifier, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The answer to a save that was applied.
  mutating func result(of changes: SaveChanges) throws -> DataStoreSaveChangesResult<
    DefaultSnapshot
  > {
    let corrected = try cachedSnapshots(for: changes.corrected.sorted())
    return DataStoreSaveChangesResult(
      for: storeIdentifier, remappedIdentifiers: changes.permanent,
      snapshotsToReregister: corrected, merged: changes.merged)
  }

  /// The rows that a batch deletion concerns.
  /// - Throws: `DataStoreError.preferInMemoryFilter` if the context has to find them.
  mutating func identifiers<T: PersistentModel>(
    of request: DataStoreBatchDeleteRequest<T>
  ) throws -> [PersistentIdentifier] { try identifiers(of: request.query()) }
}
