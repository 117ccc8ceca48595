import Foundation

/// One fetch, from the request to the models.
///
/// 1. The store answers from its rows, and says what it left to do in memory.
/// 2. Rows become models; the identity map gives those that are in memory.
/// 3. Where unsaved changes may matter, `PendingMerge` judges them in memory. Limit and offset are
///    applied after everything that is done in memory.
struct FetchOperation<T: PersistentModel> {
  let core: ContextCore
  let descriptor: FetchDescriptor<T>
  private let store: any DataStore

  init(core: ContextCore, descriptor: FetchDescriptor<T>) throws {
    let name = T._$descriptor.entityName
    guard let store = core.coordinator.store(forEntity: name),
      core.coordinator.modelType(forEntity: name) == T.self
    else {
      throw SwiftDataError.unknownSchema.with(
        "The class \(T.self) is not in the schema of this container. Add it to "
          + "ModelContainer(for:).", entity: name)
    }
    self.core = core
    self.descriptor = descriptor
    self.store = store
  }

  private var pending: PendingMerge<T>? {
    guard descriptor.includePendingChanges, !core.changes.isEmpty else { return nil }
    return PendingMerge(core: core, descriptor: descriptor)
  }

  func models() throws -> [T] {
    if let pending {
      return sliced(try pending.merge { try stored($0) })
    }
    let result = try StoreRequests(core: core).fetch(descriptor, in: store)
    var models = core.materialize(result.rows, as: T.self)
    if !descriptor.relationshipKeyPathsForPrefetching.isEmpty {
      core.prefetch(descriptor.relationshipKeyPathsForPrefetching, of: models)
    }
    guard result.needsFilter || result.needsSort else { return models }
    if result.needsFilter, let predicate = descriptor.predicate {
      models = try models.filter { try predicate.matches($0) }
    }
    if result.needsSort { models.sort(using: descriptor.sortBy) }
    return sliced(models)
  }

  func count() throws -> Int {
    if pending == nil, let count = try storedCount() { return count }
    return try models().count
  }

  func identifiers() throws -> [PersistentIdentifier] {
    if pending == nil {
      let request = DataStoreFetchRequest(descriptor: descriptor, editingState: core.editingState)
      do {
        return try store.fetchIdentifiers(request)
      } catch is DataStoreError {}
    }
    return try models().map(\.persistentModelID)
  }

  private func storedCount() throws -> Int? {
    let request = DataStoreFetchRequest(descriptor: descriptor, editingState: core.editingState)
    do {
      return try store.fetchCount(request)
    } catch is DataStoreError {
      return nil
    }
  }

  /// The models of a request without limit and offset, filtered and sorted.
  private func stored(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    var unlimited = descriptor
    unlimited.fetchLimit = nil
    unlimited.fetchOffset = nil
    unlimited.includePendingChanges = false
    return try FetchOperation(core: core, descriptor: unlimited).models()
  }

  private func sliced(_ models: [T]) -> [T] {
    guard descriptor.fetchLimit != nil || descriptor.fetchOffset != nil else { return models }
    let rest = models.dropFirst(max(0, descriptor.fetchOffset ?? 0))
    guard let limit = descriptor.fetchLimit, limit > 0 else { return Array(rest) }
    return Array(rest.prefix(limit))
  }
}
