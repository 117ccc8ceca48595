import SwiftData

/// Requests that rules make of a store without a context.
extension DataStore {
  private func request<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) -> DataStoreFetchRequest<T> {
    DataStoreFetchRequest(descriptor: descriptor, editingState: EditingState())
  }

  func saveNothing(_ trial: Trial) throws {
    let result = try save(
      DataStoreSaveChangesRequest<Snapshot>(
        inserted: [], updated: [], deleted: [], editingState: EditingState()))
    trial.expect("The store identifier in the result of a save", result.storeIdentifier, identifier)
    trial.expect("The identifiers in the result of an empty save", result.remappedIdentifiers, [:])
  }

  /// The names of the entities of the fetched snapshots.
  func entities<T: PersistentModel>(of descriptor: FetchDescriptor<T>) throws -> Set<String> {
    let found = try fetch(request(descriptor)).fetchedSnapshots
    return Set(found.map(\.persistentIdentifier.entityName))
  }

  /// Saves new models, which stay outside of contexts.
  func insert(
    _ models: [any PersistentModel], _ trial: Trial
  ) throws -> [PersistentIdentifier: PersistentIdentifier] {
    let result = try save(
      DataStoreSaveChangesRequest(
        inserted: models.map(snapshot), updated: [], deleted: [], editingState: EditingState()))
    trial.expect("The store identifier in the result of a save", result.storeIdentifier, identifier)
    return result.remappedIdentifiers
  }

  /// Saves a model, deletes it, and asks for an update of its row, which the store may refuse.
  func update<T: PersistentModel>(_ model: T, afterDeletionBy trial: Trial) throws {
    let context = try trial.context()
    try trial.save([model], in: context)
    let updated = snapshot(of: model)
    context.delete(model)
    try context.save()
    _ = try? save(
      DataStoreSaveChangesRequest(
        inserted: [], updated: [updated], deleted: [], editingState: EditingState()))
  }

  private func snapshot(of model: any PersistentModel) -> Snapshot {
    func make<M: PersistentModel>(_ model: M) -> Snapshot {
      var related: [PersistentIdentifier: any BackingData] = [:]
      return Snapshot(from: model.persistentBackingData, relatedBackingDatas: &related)
    }
    return make(model)
  }

  func checkCache(of identifier: PersistentIdentifier, title: String, _ trial: Trial) throws {
    let cached = try cachedSnapshots(for: [identifier], editingState: EditingState())
    for (key, snapshot) in cached {
      trial.expect("The key of a cached snapshot", key, identifier)
      trial.expect("The identifier of a cached snapshot", snapshot.persistentIdentifier, identifier)
      let values = try SnapshotValues(snapshot)
      trial.expect("The value in a cached snapshot", values.text("title"), title)
    }
  }

  /// The number of cached snapshots for an identifier.
  func cached(_ identifier: PersistentIdentifier) throws -> Int {
    try cachedSnapshots(for: [identifier], editingState: EditingState()).count
  }

  /// The temporary identifiers in the relationships of fetched snapshots.
  func temporaryLinks<T: PersistentModel>(_ type: T.Type) throws -> [String] {
    try fetch(request(FetchDescriptor<T>())).fetchedSnapshots
      .flatMap { try SnapshotValues($0).temporaryLinks }
  }

  /// The numbers that `fetch`, `fetchCount` and `fetchIdentifiers` find, without those that the
  /// store leaves to the context.
  func sizes<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [String: Int] {
    var sizes: [String: Int] = [:]
    func note(_ name: String, _ size: () throws -> Int) throws {
      do { sizes[name] = try size() } catch is DataStoreError {}
    }
    try note("fetch") { try fetch(request(descriptor)).fetchedSnapshots.count }
    try note("fetchCount") { try fetchCount(request(descriptor)) }
    try note("fetchIdentifiers") { try fetchIdentifiers(request(descriptor)).count }
    return sizes
  }
}

extension DataStoreBatching {
  /// Deletes models without a context.
  /// - Returns: Whether the store did; `false` if it leaves the deletion to the context.
  func deleteDirectly<T: PersistentModel>(
    _ type: T.Type, includeSubclasses: Bool = true
  ) throws -> Bool {
    do {
      try delete(
        DataStoreBatchDeleteRequest<T>(
          editingState: EditingState(), predicate: nil, includeSubclasses: includeSubclasses))
      return true
    } catch is DataStoreError {
      return false
    }
  }
}
