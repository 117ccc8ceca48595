/// Deletes history by a descriptor; called by contexts and through the public protocol.
///
/// 1. The numbers of matching transactions are found as in a fetch, with order and limit. Parts
///    that SQL cannot evaluate are evaluated on the transactions.
/// 2. Their changes, the transactions, and unused texts are deleted in the same SQL transaction.
///    The deletion itself is not recorded in the history.
/// 3. Free space is released in small steps.
///
/// Holds of observers are ignored: transactions that they have not read expire for them.
extension RelationalStore {
  /// - Throws: `SwiftDataError.modelValidationFailure` if the store is read-only,
  ///   `.invalidTransactionFetchRequest` if the predicate throws, or `.storeWriteFailure`; nothing
  ///   is deleted then.
  package func deleteHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, for editor: EditingState?
  ) throws -> Bool {
    guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else {
      return false
    }
    if history == nil || refusal != nil { return true }
    try requireWritable()
    try driver.write(for: editor?.owner, else: "no history was deleted") { session in
      if let editor { try requireNoOther(than: editor, session) }
      _ = takeHistoryEnd(in: session)
      try session.transaction {
        let removal = HistoryRemoval(session: session, plans: plans)
        if descriptor.predicate == nil, descriptor.fetchLimit == 0 {
          try removal.removeAll()
        } else {
          try removal.moveLastGap()
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
      let reading = HistoryReading(store: self, session: session)
      return try reading.transactions(descriptor, end: reading.rows.lastAssignedNumber())
        .map(\.transactionIdentifier)
    }
    let limit = descriptor.fetchLimit == 0 ? nil : Int(clamping: descriptor.fetchLimit)
    return try query.numbers(session, limit: limit)
  }
}
