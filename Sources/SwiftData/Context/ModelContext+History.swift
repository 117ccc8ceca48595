extension ModelContext {
  /// The transactions that match, of all stores that keep history.
  /// - Throws: `DataStoreError.unsupportedFeature` where no store keeps history of this type.
  public func fetchHistory<T>(_ descriptor: HistoryDescriptor<T>) throws -> [T]
  where T: HistoryTransaction {
    func fetch<S: HistoryProviding>(_ store: S) throws -> [T]? {
      guard let own = descriptor as? HistoryDescriptor<S.HistoryType> else { return nil }
      return try store.fetchHistory(own) as? [T]
    }
    let providers = core.coordinator.stores.compactMap { $0 as? any HistoryProviding }
    let found = try providers.compactMap { try fetch($0) }
    guard !found.isEmpty else { throw DataStoreError.unsupportedFeature }
    return Array(found.joined())
  }

  /// Deletes the transactions that match, in all stores that keep history.
  /// - Throws: `DataStoreError.unsupportedFeature` where no store keeps history of this type.
  public func deleteHistory<T>(_ descriptor: HistoryDescriptor<T>) throws
  where T: HistoryTransaction {
    func delete<S: HistoryProviding>(_ store: S) throws -> Bool {
      guard let own = descriptor as? HistoryDescriptor<S.HistoryType> else { return false }
      try store.deleteHistory(own)
      return true
    }
    let providers = core.coordinator.stores.compactMap { $0 as? any HistoryProviding }
    guard try !providers.map({ try delete($0) }).filter({ $0 }).isEmpty else {
      throw DataStoreError.unsupportedFeature
    }
  }
}
