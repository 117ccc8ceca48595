/// Merges the histories of several stores.
///
/// If the descriptor has no order, the store whose next transaction is the oldest comes next. So
/// the order within each store is kept, even if its clock was wrong. The token of each merged
/// transaction contains all stores: for each store, the last transaction up to this point. The next
/// fetch continues after it in every store.
///
/// If the descriptor has an order, the transactions have the same tokens, and are then sorted. A
/// limit may leave out earlier transactions of a store. The tokens before the first one that was
/// fetched then lack this store, so that a fetch after them misses none.
struct HistoryMerge<Transaction: HistoryTransaction> {
  private let descriptor: HistoryDescriptor<Transaction>
  private let pages: [HistoryPage<Transaction>]

  init(_ pages: [HistoryPage<Transaction>], _ descriptor: HistoryDescriptor<Transaction>) {
    self.pages = pages
    self.descriptor = descriptor
  }

  var transactions: [Transaction] {
    let limit = descriptor.fetchLimit == 0 ? Int.max : Int(clamping: descriptor.fetchLimit)
    if pages.count == 1 { return pages[0].transactions }
    if descriptor.sortBy.isEmpty { return inTimeOrder(pages, limit) { _ in false } }
    let committed = inTimeOrder(pages.map(\.inCommitOrder), .max) { $0.transactions.count >= limit }
    return Array(committed.sorted(asFetchedBy: descriptor.sortBy).prefix(limit))
  }

  /// - Parameters:
  ///   - pages: Transactions of each store in the order of its commits.
  ///   - isCut: Whether earlier transactions of a page may have been left out.
  private func inTimeOrder(
    _ pages: [HistoryPage<Transaction>], _ limit: Int,
    isCut: (HistoryPage<Transaction>) -> Bool
  ) -> [Transaction] {
    var indices = pages.map { _ in 0 }
    // A page starts after the transactions that were not requested; an empty page is at the end of
    // its history.
    var positions: [String: Int64] = [:]
    for page in pages where !isCut(page) {
      positions[page.storeIdentifier] = page.positionBeforeFirst
    }
    var times: [String: Double] = [:]
    var merged: [Transaction] = []
    while merged.count < limit {
      let next = pages.indices.filter { indices[$0] < pages[$0].transactions.count }
        .min { a, b in
          let (left, right) = (pages[a].transactions[indices[a]], pages[b].transactions[indices[b]])
          return left.timestamp < right.timestamp
        }
      guard let next else { break }
      let transaction = pages[next].transactions[indices[next]]
      indices[next] += 1
      guard let own = transaction as? DefaultHistoryTransaction else {
        merged.append(transaction)
        continue
      }
      positions[own.storeIdentifier] = own.transactionIdentifier
      times[own.storeIdentifier] = own.token.time(ofStore: own.storeIdentifier)
      let named = own.with(
        DefaultHistoryToken(positions, times: times, lastStore: own.storeIdentifier))
      if let named = named as? Transaction { merged.append(named) }
    }
    return merged
  }
}

extension HistoryPage {
  /// The page as its store has committed it, if the store numbers the transactions.
  fileprivate var inCommitOrder: HistoryPage {
    func number(_ transaction: Transaction) -> Int64 {
      (transaction as? DefaultHistoryTransaction)?.transactionIdentifier ?? 0
    }
    return HistoryPage(
      storeIdentifier: storeIdentifier,
      transactions: transactions.sorted { number($0) < number($1) }, end: end)
  }

  /// The number of the transaction before the first one; `nil` if the store does not number them.
  fileprivate var positionBeforeFirst: Int64? {
    guard let first = transactions.first else { return end }
    return (first as? DefaultHistoryTransaction).map { $0.transactionIdentifier - 1 }
  }
}
