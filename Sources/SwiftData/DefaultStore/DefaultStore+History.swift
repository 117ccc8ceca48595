extension DefaultStore: HistoryProviding {
  /// The transactions of this store.
  public typealias HistoryType = DefaultHistoryTransaction
  /// The tokens of this store.
  public typealias TokenType = DefaultHistoryToken

  /// The type of the transactions.
  public static var historyType: DefaultHistoryTransaction.Type { DefaultHistoryTransaction.self }

  /// History is not kept yet.
  /// - Throws: `DataStoreError.unsupportedFeature`.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    throw DataStoreError.unsupportedFeature
  }

  /// History is not kept yet.
  /// - Throws: `DataStoreError.unsupportedFeature`.
  public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    throw DataStoreError.unsupportedFeature
  }
}
