/// Asks a store for models.
public struct DataStoreFetchRequest<T>: Sendable where T: PersistentModel {
  /// The context that asks.
  public let editingState: EditingState

  /// Which models it wants.
  public let descriptor: FetchDescriptor<T>

  package init(descriptor: FetchDescriptor<T>, editingState: EditingState) {
    self.descriptor = descriptor
    self.editingState = editingState
  }
}

/// The models that a store found.
public struct DataStoreFetchResult<ModelType, SnapshotType>: Sendable
where ModelType: PersistentModel, SnapshotType: DataStoreSnapshot {
  /// What was asked for.
  public let descriptor: FetchDescriptor<ModelType>

  /// The values of the models, in the order that was asked for.
  public let fetchedSnapshots: [SnapshotType]

  /// The values of models that the fetched ones lead to.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  /// Makes the answer to a request.
  ///
  /// - Parameters:
  ///   - descriptor: What was asked for.
  ///   - fetchedSnapshots: Values of models of the requested type only.
  ///   - relatedSnapshots: Values of models that these lead to.
  public init(
    descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
    relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}
