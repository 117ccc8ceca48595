extension DefaultStore: HistoryProviding {
  /// The type of this store's transactions.
  public typealias HistoryType = DefaultHistoryTransaction
  /// The type of this store's tokens.
  public typealias TokenType = DefaultHistoryToken

  /// The type of this store's transactions.
  public static var historyType: DefaultHistoryTransaction.Type { DefaultHistoryTransaction.self }

  /// Fetches history transactions, in the descriptor's order, by default the oldest first.
  ///
  /// - Throws: `SwiftDataError.historyTokenExpired` if transactions after a token in the predicate
  ///   have been deleted, or the token belongs to another store;
  ///   `SwiftDataError.invalidTransactionFetchRequest` if the predicate cannot be evaluated;
  ///   `SwiftDataError.storeReadFailure`.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try engine.transactions(descriptor, stores: [identifier]).transactions
  }

  /// Deletes the matching history transactions.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` if the store is read-only, or
  ///   `SwiftDataError.storeWriteFailure`; nothing is deleted then.
  public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    _ = try engine.deleteHistory(descriptor, for: nil)
  }
}
