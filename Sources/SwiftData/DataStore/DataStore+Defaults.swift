extension DataStore {
  /// Counts the models by fetching all of them.
  ///
  /// - Throws: What ``DataStore/fetch(_:)`` throws.
  public func fetchCount<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> Int where T: PersistentModel {
    try fetch(request).fetchedSnapshots.count
  }

  /// Fetches the models and returns their identifiers.
  ///
  /// - Throws: What ``DataStore/fetch(_:)`` throws.
  public func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    try fetch(request).fetchedSnapshots.map(\.persistentIdentifier)
  }

  /// Always throws: a store that can be erased implements this method.
  ///
  /// - Throws: `DataStoreError.unsupportedFeature`.
  public func erase() throws {
    throw DataStoreError.unsupportedFeature
  }

  /// Does nothing.
  public func initializeState(for editingState: EditingState) {}

  /// Does nothing.
  public func invalidateState(for editingState: EditingState) {}

  /// Returns no snapshots, so the context fetches what it needs.
  ///
  /// - Throws: Nothing.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] {
    [:]
  }
}
