import Foundation

extension SnapshotPort {
  func rows<T: PersistentModel>(of request: DataStoreFetchRequest<T>) throws -> FetchedModels {
    try answersWithSubclasses(request) ? answer(to: request) : mergedAnswers(to: request)
  }

  /// The answer of the store to a request.
  func answer<T: PersistentModel>(
    to request: DataStoreFetchRequest<T>
  ) throws -> FetchedModels {
    var rest = InMemoryRest()
    var descriptor = request.withUsualRange.descriptor
    // A snapshot has no faults: a property that it lacks would read as nil or as its default value.
    descriptor.propertiesToFetch = []
    while true {
      do {
        let result = try store.fetch(
          DataStoreFetchRequest(descriptor: descriptor, editingState: request.editingState))
        return FetchedModels(
          rows: .snapshots(try result.fetchedSnapshots.map { try converted($0, as: T.self) }),
          rest: rest, related: try result.relatedSnapshots.values.map(converted))
      } catch DataStoreError.preferInMemoryFilter where !rest.needsFilter {
        rest.needsFilter = true
        descriptor.predicate = nil
      } catch DataStoreError.preferInMemorySort where !rest.needsSort {
        rest.needsSort = true
        descriptor.sortBy = []
      } catch let error as DataStoreError where error.isLeftToMemory {
        throw SwiftDataError.storeReadFailure.with(
          "The store \(name) threw DataStoreError.\(error.name) for a request without predicate and order. "
            + "The error is for requests that have them: return all rows of the entity, or throw another error.",
          entity: T._$descriptor.entityName)
      }
      descriptor.fetchLimit = nil
      descriptor.fetchOffset = nil
    }
  }

  func count<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int? {
    guard try answersWithSubclasses(request) else { return nil }
    return try unlessLeftToMemory { try store.fetchCount(request.withUsualRange) }
  }

  func identifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws
    -> FoundIdentifiers?
  {
    guard try answersWithSubclasses(request) else { return nil }
    return try unlessLeftToMemory { try store.fetchIdentifiers(request.withUsualRange) }
      .map { FoundIdentifiers(identifiers: .identifiers($0), rest: InMemoryRest()) }
  }

  /// - Returns: nil if the store leaves the request to memory.
  private func unlessLeftToMemory<R>(_ body: () throws -> R) throws -> R? {
    do {
      return try body()
    } catch DataStoreError.preferInMemoryFilter, DataStoreError.preferInMemorySort {
      return nil
    }
  }

  private func converted<T: PersistentModel>(
    _ snapshot: Store.Snapshot, as type: T.Type
  ) throws -> DefaultSnapshot {
    let converted = try converted(snapshot)
    guard converted.descriptor.isKind(of: T._$descriptor) else {
      throw SwiftDataError.storeReadFailure.with(
        "A fetch of \(T._$descriptor.entityName) returned \(snapshot.persistentIdentifier). A store must "
          + "return models of other entities as relatedSnapshots.",
        entity: converted.descriptor.entityName)
    }
    return converted
  }

  // MARK: By identifier

  func rows(
    at identifiers: FetchedIdentifiers, in range: Range<Int>, of descriptor: _ModelDescriptor,
    slots: Set<Int>?, _ editingState: EditingState
  ) throws -> FetchedRows {
    .snapshots(try snapshots(for: range.map { identifiers[$0] }, editingState))
  }

  func snapshot(
    for identifier: PersistentIdentifier, _ editingState: EditingState
  ) throws -> DefaultSnapshot? {
    try snapshots(for: [identifier], editingState).first
  }

  /// The snapshots of some models, in the order of the identifiers, without missing ones.
  ///
  /// Cached snapshots are used first. Then the rows of each class in the identifiers are fetched.
  /// Rows that are still missing are fetched from the root class, because an identifier may contain
  /// the class of the property that refers to it.
  func snapshots(
    for identifiers: [PersistentIdentifier], _ editingState: EditingState
  ) throws -> [DefaultSnapshot] {
    let stored = identifiers.filter { !$0.isTemporary && $0.storeIdentifier == store.identifier }
    if stored.isEmpty { return [] }
    var found = try cached(stored, editingState)
    func ask(_ missing: [PersistentIdentifier], of entity: (PersistentIdentifier) -> String) throws
    {
      let groups = Dictionary(grouping: missing, by: entity).sorted { $0.key < $1.key }
      for (entity, identifiers) in groups {
        guard let type = types[entity] else { continue }
        for snapshot in try fetch(identifiers, as: type, editingState) {
          found[snapshot.persistentIdentifier] = snapshot
        }
      }
    }
    try ask(stored.filter { found[$0] == nil }, of: \.entityName)
    try ask(stored.filter { found[$0] == nil && root(of: $0.entityName) != $0.entityName }) {
      root(of: $0.entityName)
    }
    return stored.compactMap { found[$0] }
  }

  private func cached(
    _ identifiers: [PersistentIdentifier], _ editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    for (identifier, snapshot) in try store.cachedSnapshots(
      for: identifiers, editingState: editingState)
    {
      guard snapshot.persistentIdentifier == identifier else {
        throw SwiftDataError.storeReadFailure.with(
          "cachedSnapshots of the store \(store.configuration.name) returned the snapshot of "
            + "\(snapshot.persistentIdentifier) under the identifier \(identifier).",
          entity: identifier.entityName)
      }
      found[identifier] = try converted(snapshot)
    }
    return found
  }

  private func root(of entity: String) -> String {
    schema.entitiesByName[entity]?.rootEntity.name ?? entity
  }

  func fetch<T: PersistentModel>(
    _ identifiers: [PersistentIdentifier], as type: T.Type, _ editingState: EditingState
  ) throws -> [DefaultSnapshot] {
    let wanted = Set(identifiers)
    let found = try answer(
      to: DataStoreFetchRequest(
        descriptor: FetchDescriptor(predicate: T.isOne(of: wanted)), editingState: editingState)
    ).rows.snapshots
    // A store that leaves the predicate to memory returns all models.
    return found.filter { wanted.contains($0.persistentIdentifier) }
  }
}

extension DataStoreFetchRequest {
  /// The same request without a limit or offset that has no effect: a store may use them as the
  /// number of elements to take or skip, which must not be negative.
  fileprivate var withUsualRange: DataStoreFetchRequest {
    var descriptor = descriptor
    if let limit = descriptor.fetchLimit, limit <= 0 { descriptor.fetchLimit = nil }
    if let offset = descriptor.fetchOffset, offset <= 0 { descriptor.fetchOffset = nil }
    return DataStoreFetchRequest(descriptor: descriptor, editingState: editingState)
  }
}
