extension SnapshotPort {
  func history<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, stores: Set<String>
  ) throws -> HistoryPage<T>? {
    func fetch<S: HistoryProviding>(_ store: S) throws -> HistoryPage<T>? {
      guard let own = descriptor as? HistoryDescriptor<S.HistoryType>,
        let found = try store.fetchHistory(own) as? [T]
      else { return nil }
      return HistoryPage(storeIdentifier: identifier, transactions: found, end: nil)
    }
    return try (store as? any HistoryProviding).flatMap { try fetch($0) }
  }

  func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool {
    func delete<S: HistoryProviding>(_ store: S) throws -> Bool {
      guard let own = descriptor as? HistoryDescriptor<S.HistoryType> else { return false }
      try store.deleteHistory(own)
      return true
    }
    return try (store as? any HistoryProviding).map { try delete($0) } ?? false
  }
}
