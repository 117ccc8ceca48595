import Foundation

/// Merges the histories of several stores.
///
/// The store whose next transaction is the oldest comes next. So the order within each store is kept, even if
/// its clock was wrong. The token of each merged transaction contains all stores: for each store, the last
/// transaction up to this point. The next fetch continues after it in every store. If the descriptor has an
/// order, the transactions have the same tokens, and are then sorted.
///
/// With a limit, these are the transactions that were committed next, and the order is that inside of the page.
/// Their tokens say up to which transaction of each store the page was returned, so a fetch after the last one
/// neither misses nor repeats a transaction.
///
/// If the newest come first, these are the newest ones, with the tokens of a fetch without a limit. Such a token
/// lacks a store whose earlier transactions were left out. The transactions of custom stores have tokens of
/// their own, and are found in the order of the descriptor too.
struct HistoryMerge<Transaction: HistoryTransaction> {
  private let descriptor: HistoryDescriptor<Transaction>
  /// The transactions that the stores have found for `descriptor.inCommitOrder`, as each store has committed them.
  private let pages: [HistoryPage<Transaction>]
  private let limit: Int

  init(_ pages: [HistoryPage<Transaction>], _ descriptor: HistoryDescriptor<Transaction>) {
    self.pages = pages.map(\.inCommitOrder)
    self.descriptor = descriptor
    limit = descriptor.fetchLimit == 0 ? Int.max : Int(clamping: descriptor.fetchLimit)
  }

  var transactions: [Transaction] {
    // Merged tokens can be sorted, those of different stores can't.
    let committed = withMergedTokens(inTimeOrder)
    if descriptor.isPageOfCommits {
      return withMergedTokens(committed.prefix(limit).sorted(asFetchedBy: descriptor.sortBy))
    }
    return Array(committed.sorted(asFetchedBy: descriptor.sortBy).prefix(limit))
  }

  private var inTimeOrder: [Transaction] {
    var rest = pages.map { $0.transactions[...] }
    var merged: [Transaction] = []
    func next(_ index: Int) -> Date { rest[index][rest[index].startIndex].timestamp }
    while let oldest = rest.indices.filter({ !rest[$0].isEmpty }).min(by: { next($0) < next($1) }) {
      merged.append(rest[oldest].removeFirst())
    }
    return merged
  }

  /// The transactions with tokens of all stores: the position of a store is the last transaction up to which, in
  /// the order of its commits, all are returned.
  private func withMergedTokens(_ returned: [Transaction]) -> [Transaction] {
    var (positions, times): ([String: Int64], [String: Double]) = ([:], [:])
    var rest: [String: ArraySlice<Transaction>] = [:]
    for page in pages {
      rest[page.storeIdentifier] = page.transactions[...]
      // A page starts after the transactions that were not requested; an empty page is at the end of its
      // history. Of the newest ones a limit may have left out earlier transactions.
      if descriptor.isPageOfCommits || page.transactions.count < limit {
        positions[page.storeIdentifier] = page.positionBeforeFirst
      }
    }
    var known: Set<Transaction> = []
    return returned.map { transaction in
      guard let own = transaction as? DefaultHistoryTransaction else { return transaction }
      known.insert(transaction)
      let store = own.storeIdentifier
      while let next = rest[store]?.first, known.contains(next),
        let passed = next as? DefaultHistoryTransaction
      {
        rest[store]?.removeFirst()
        positions[store] = passed.transactionIdentifier
        times[store] = passed.token.time(ofStore: store)
      }
      let token = DefaultHistoryToken(positions, times: times, lastStore: store)
      return own.with(token) as? Transaction ?? transaction
    }
  }
}

extension HistoryDescriptor {
  /// The request without its order, if it is one for the transactions that were committed next: those before a
  /// token can't be requested after it.
  var inCommitOrder: HistoryDescriptor {
    guard isPageOfCommits else { return self }
    var request = self
    request.sortBy = []
    return request
  }

  /// Whether the descriptor has a limit and does not ask for the newest transactions.
  fileprivate var isPageOfCommits: Bool {
    typealias Own = DefaultHistoryTransaction
    guard fetchLimit > 0, let own = self as? HistoryDescriptor<Own> else { return false }
    guard let first = own.sortBy.first, first.order == .reverse else { return true }
    let positions: [PartialKeyPath<Own>?] = [
      \.timestamp, \.token, \.transactionIdentifier, \.id,
    ]
    return !positions.contains(first.keyPath)
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
