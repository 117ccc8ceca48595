extension ModelContext {
  /// The transactions that match, of all stores that keep history of this type, the oldest first unless the
  /// descriptor has an order.
  ///
  /// ```swift
  /// var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
  /// if let token { descriptor.predicate = #Predicate { $0.token > token } }
  /// for transaction in try context.fetchHistory(descriptor) { apply(transaction.changes) }
  /// ```
  ///
  /// Where several stores take part, the tokens name all of them.
  ///
  /// - Throws: `SwiftDataError.historyTokenExpired` where transactions behind a token that the predicate names
  ///   were deleted, or the token is of another store; `DataStoreError.unsupportedFeature` where no store keeps
  ///   history of this type; the store's error.
  public func fetchHistory<T>(_ descriptor: HistoryDescriptor<T>) throws -> [T]
  where T: HistoryTransaction {
    let ports = core.coordinator.ports
    let stores = Set(ports.map(\.identifier))
    let pages = try ports.compactMap { try $0.history(descriptor, stores: stores) }
    guard !pages.isEmpty else { throw DataStoreError.unsupportedFeature }
    return HistoryMerge(pages, descriptor).transactions
  }

  /// Deletes the transactions that match, in all stores that keep history of this type.
  ///
  /// A limit counts in each store. Tokens from before the oldest transaction that is left expire.
  ///
  /// - Throws: `DataStoreError.unsupportedFeature` where no store keeps history of this type; the store's
  ///   error. Stores before the one that fails have deleted theirs then.
  public func deleteHistory<T>(_ descriptor: HistoryDescriptor<T>) throws
  where T: HistoryTransaction {
    let keepers = try core.coordinator.ports.filter { try $0.deleteHistory(descriptor) }
    guard !keepers.isEmpty else { throw DataStoreError.unsupportedFeature }
  }
}
