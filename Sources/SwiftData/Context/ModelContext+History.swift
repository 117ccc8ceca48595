extension ModelContext {
  /// The matching transactions of all stores with history of this type; the oldest first unless the
  /// descriptor has an order.
  ///
  /// ```swift
  /// var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
  /// if let token { descriptor.predicate = #Predicate { $0.token > token } }
  /// for transaction in try context.fetchHistory(descriptor) { apply(transaction.changes) }
  /// ```
  ///
  /// If the container has several stores, each token contains all of them: for each store, the last
  /// transaction that was committed up to this one, also if the descriptor has an order.
  ///
  /// Then, with a limit, the fetch returns the transactions that were committed next, in the order of the
  /// descriptor, and a fetch after the last token continues with those that were left out. Only if the newest come
  /// first, by `timestamp`, `token` or `transactionIdentifier`, it returns the newest ones: a token may lack a store
  /// whose earlier transactions were left out. A fetch after it then returns all transactions of that store.
  ///
  /// - Throws: `SwiftDataError.historyTokenExpired` if transactions after a token in the predicate
  ///   were deleted, or the token belongs to another store; `DataStoreError.unsupportedFeature` if
  ///   no store keeps history of this type; the store's error.
  public func fetchHistory<T>(_ descriptor: HistoryDescriptor<T>) throws -> [T]
  where T: HistoryTransaction {
    try core.coordinator.requireOpen()
    let ports = core.coordinator.ports
    let stores = Set(ports.map(\.identifier))
    let reader = core.stores.editingState
    let isMerged = ports.count > 1
    let request = isMerged ? descriptor.inCommitOrder : descriptor
    let pages = try ports.compactMap { try $0.history(request, stores: stores, for: reader) }
    guard !pages.isEmpty else { throw DataStoreError.unsupportedFeature }
    return isMerged ? HistoryMerge(pages, descriptor).transactions : pages[0].transactions
  }

  /// Deletes the matching transactions in all stores with history of this type.
  ///
  /// With a limit, these are the transactions that ``fetchHistory(_:)`` returns. Tokens from before the
  /// oldest remaining transaction of a store expire.
  ///
  /// - Throws: `DataStoreError.unsupportedFeature` if no store keeps history of this type;
  ///   `SwiftDataError.storeWriteFailure` inside a snapshot or a save; the
  ///   store's error; with several stores and a limit, those of ``fetchHistory(_:)`` too. Stores before the
  ///   one that fails have then deleted their transactions.
  public func deleteHistory<T>(_ descriptor: HistoryDescriptor<T>) throws
  where T: HistoryTransaction {
    try core.coordinator.requireOpen()
    try core.stores.requireIdle()
    // Also if a store fails: those before it have deleted.
    core.transaction?.noteDeletionOfHistory()
    let ports = core.coordinator.ports
    if descriptor.fetchLimit > 0, ports.count > 1 {
      return try deleteFirstHistory(descriptor, in: ports)
    }
    let editor = core.stores.editingState
    let keepers = try ports.filter { try $0.deleteHistory(descriptor, for: editor) }
    guard !keepers.isEmpty else { throw DataStoreError.unsupportedFeature }
  }

  /// Deletes the first transactions of several stores. Merging histories keeps the order of each store, so
  /// each one deletes as many of its first transactions as were found.
  private func deleteFirstHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, in ports: [any StorePort]
  ) throws {
    let found = Dictionary(grouping: try fetchHistory(descriptor), by: \.storeIdentifier)
    for port in ports {
      guard let count = found[port.identifier]?.count else { continue }
      var own = descriptor.inCommitOrder
      own.fetchLimit = UInt64(count)
      _ = try port.deleteHistory(own, for: core.stores.editingState)
    }
  }
}
