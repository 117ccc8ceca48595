extension DataStore {
  /// Fetches the models and counts them.
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

  /// Always throws: only the store knows how to remove itself.
  ///
  /// - Throws: `DataStoreError.unsupportedFeature`.
  public func erase() throws {
    throw DataStoreError.unsupportedFeature
  }

  /// Does nothing.
  public func initializeState(for editingState: EditingState) {}

  /// Does nothing.
  public func invalidateState(for editingState: EditingState) {}

  /// Returns nothing, so that the context fetches what it needs.
  ///
  /// - Throws: Nothing.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] {
    [:]
  }
}
