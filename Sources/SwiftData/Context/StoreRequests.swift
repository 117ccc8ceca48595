import Foundation

/// Requests to a store of any kind, its snapshots brought into the form of this library.
///
/// Called by `FetchOperation` and `BatchReading`, by `FaultResolver` for a row, and by
/// `ExternalChangeApplication` for the rows that others saved.
struct StoreRequests {
  let core: ContextCore

  func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, in store: any DataStore
  ) throws -> PartialFetchResult {
    let request = DataStoreFetchRequest(descriptor: descriptor, editingState: core.editingState)
    if let store = core.partialFetching(of: store) { return try store.fetchPartially(request) }
    return try fallingBack(request, in: store)
  }

  /// Asks a custom store, and asks again for more where it would rather not filter or sort.
  private func fallingBack<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>, in store: any DataStore
  ) throws -> PartialFetchResult {
    var result = PartialFetchResult(rows: .snapshots([]), rest: InMemoryRest())
    var descriptor = request.descriptor
    while true {
      do {
        result.rows = .snapshots(
          try snapshots(
            DataStoreFetchRequest(descriptor: descriptor, editingState: core.editingState), store))
        return result
      } catch DataStoreError.preferInMemoryFilter where !result.rest.needsFilter {
        result.rest.needsFilter = true
        descriptor.predicate = nil
      } catch DataStoreError.preferInMemorySort where !result.rest.needsSort {
        result.rest.needsSort = true
        descriptor.sortBy = []
      }
      descriptor.fetchLimit = nil
      descriptor.fetchOffset = nil
    }
  }

  private func snapshots<S: DataStore, T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>, _ store: S
  ) throws -> [DefaultSnapshot] {
    let result = try store.fetch(request)
    if let snapshots = result.fetchedSnapshots as? [DefaultSnapshot] { return snapshots }
    return try result.fetchedSnapshots.map { try DefaultSnapshot(converting: $0, core: core) }
  }

  /// The rows of identifiers, asked for as a fetch whose predicate tests membership.
  func snapshots(
    for identifiers: [PersistentIdentifier], in store: any DataStore
  ) throws -> [DefaultSnapshot] {
    guard let name = identifiers.first?.entityName,
      let type = core.coordinator.modelType(forEntity: name)
    else { return [] }
    return try snapshots(for: identifiers, as: type, in: store)
  }

  func snapshots<T: PersistentModel>(
    for identifiers: [PersistentIdentifier], as type: T.Type, in store: any DataStore
  ) throws -> [DefaultSnapshot] {
    let wanted = Set(identifiers)
    let predicate = Predicate<T> { model in
      PredicateExpressions.build_contains(
        PredicateExpressions.build_Arg(wanted),
        PredicateExpressions.build_KeyPath(root: model, keyPath: \.persistentModelID))
    }
    return try fetch(FetchDescriptor(predicate: predicate), in: store).rows.snapshots
  }
}
