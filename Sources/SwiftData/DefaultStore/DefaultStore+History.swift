extension DefaultStore: HistoryProviding {
  /// The transactions of this store.
  public typealias HistoryType = DefaultHistoryTransaction
  /// The tokens of this store.
  public typealias TokenType = DefaultHistoryToken

  /// The type of the transactions.
  public static var historyType: DefaultHistoryTransaction.Type { DefaultHistoryTransaction.self }

  /// The transactions that match, the oldest first unless the descriptor has an order.
  ///
  /// - Throws: `SwiftDataError.historyTokenExpired` where transactions behind a token that the predicate names
  ///   were deleted, or the token is of another store; `SwiftDataError.invalidTransactionFetchRequest` where the
  ///   predicate cannot be evaluated; `SwiftDataError.storeReadFailure`.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try engine.transactions(descriptor, stores: [identifier]).transactions
  }

  /// Deletes the transactions that match.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` for a store that was opened for reading,
  ///   `SwiftDataError.storeWriteFailure`; nothing is deleted then.
  public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    _ = try engine.deleteHistory(descriptor)
  }
}
