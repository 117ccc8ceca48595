extension ModelContext {
  /// The transactions that match, of all stores that keep history.
  /// - Throws: `DataStoreError.unsupportedFeature` where no store keeps history of this type.
  public func fetchHistory<T>(_ descriptor: HistoryDescriptor<T>) throws -> [T]
  where T: HistoryTransaction {
    let found = try core.coordinator.ports.compactMap { try $0.history(descriptor) }
    guard !found.isEmpty else { throw DataStoreError.unsupportedFeature }
    return Array(found.joined())
  }

  /// Deletes the transactions that match, in all stores that keep history.
  /// - Throws: `DataStoreError.unsupportedFeature` where no store keeps history of this type.
  public func deleteHistory<T>(_ descriptor: HistoryDescriptor<T>) throws
  where T: HistoryTransaction {
    let keepers = try core.coordinator.ports.filter { try $0.deleteHistory(descriptor) }
    guard !keepers.isEmpty else { throw DataStoreError.unsupportedFeature }
  }
}
