/// Deletions of history, by a descriptor; called by contexts and through the public protocol.
///
/// 1. The numbers of the transactions that match are found as a fetch finds them, with order and limit. What
///    SQL cannot say is judged on the transactions themselves.
/// 2. Their changes, the transactions, and the texts that no transaction has any more are removed, in the same
///    SQL transaction. Deleting leaves no history of its own.
/// 3. The space is given back, piece by piece.
///
/// Holds of observers are not asked: what they have not read then expires for them.
extension RelationalStore {
  /// - Throws: `SwiftDataError.modelValidationFailure` for a store that was opened for reading,
  ///   `.invalidTransactionFetchRequest` where the predicate throws, or `.storeWriteFailure`; nothing is
  ///   deleted then.
  package func deleteHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>
  ) throws -> Bool {
    guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else {
      return false
    }
    if history == nil { return true }
    try requireWritable()
    try driver.write(else: "no history was deleted") { session in
      try session.transaction {
        let removal = HistoryRemoval(session: session, plans: plans)
        if descriptor.predicate == nil, descriptor.fetchLimit == 0 {
          try removal.removeAll()
        } else {
          try removal.remove(numbers(of: descriptor, session))
        }
        try removal.removeUnusedTexts()
      }
    }
    driver.reclaimSpace(limit: nil)
    return true
  }

  private func numbers(
    of descriptor: HistoryDescriptor<DefaultHistoryTransaction>, _ session: any SQLSession
  ) throws -> [Int64] {
    let query = HistoryQuery(descriptor, self)
    if query.compiled.filtersInMemory || query.compiled.sortsInMemory {
      return try HistoryReading(store: self, session: session).transactions(descriptor)
        .map(\.transactionIdentifier)
    }
    let limit = descriptor.fetchLimit == 0 ? nil : Int(clamping: descriptor.fetchLimit)
    return try query.numbers(session, limit: limit)
  }
}
