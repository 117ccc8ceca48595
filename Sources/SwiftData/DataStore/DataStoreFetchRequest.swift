/// A request for models.
public struct DataStoreFetchRequest<T>: Sendable where T: PersistentModel {
  /// Identifies the context that makes the request.
  public let editingState: EditingState

  /// Which models are requested.
  public let descriptor: FetchDescriptor<T>

  package init(descriptor: FetchDescriptor<T>, editingState: EditingState) {
    self.descriptor = descriptor
    self.editingState = editingState
  }
}

/// The answer of a store to a fetch request.
public struct DataStoreFetchResult<ModelType, SnapshotType>: Sendable
where ModelType: PersistentModel, SnapshotType: DataStoreSnapshot {
  /// The descriptor of the request.
  public let descriptor: FetchDescriptor<ModelType>

  /// The values of the models, in the requested order.
  public let fetchedSnapshots: [SnapshotType]

  /// The values of models that are related to the fetched ones.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  /// Creates the answer to a request.
  ///
  /// - Parameters:
  ///   - descriptor: The descriptor of the request.
  ///   - fetchedSnapshots: Values of models of the requested type only.
  ///   - relatedSnapshots: Values of models that are related to them.
  public init(
    descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
    relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}
