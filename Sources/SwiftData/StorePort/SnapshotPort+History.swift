extension SnapshotPort {
  func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    func fetch<S: HistoryProviding>(_ store: S) throws -> [T]? {
      guard let own = descriptor as? HistoryDescriptor<S.HistoryType> else { return nil }
      return try store.fetchHistory(own) as? [T]
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
