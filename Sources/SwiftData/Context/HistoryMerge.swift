import Foundation

/// Merges the histories of several stores.
///
/// If the descriptor has no order, the store whose next transaction is the oldest comes next. So
/// the order within each store is kept, even if its clock was wrong. The token of each merged
/// transaction contains all stores: for each store, the last transaction up to this point. The next
/// fetch continues after it in every store.
///
/// If the descriptor has an order, the transactions have the same tokens, and are then sorted. With a limit
/// as well, a fetch after the last token must not miss a transaction that the limit has left out:
///
/// | order                          | the page                             | its tokens                    |
/// |--------------------------------|--------------------------------------|-------------------------------|
/// | `timestamp`, `token`           | that without an order, then sorted   | how far each store is returned |
/// | `transactionIdentifier`        | the first ones of all stores         | the same                      |
/// | one of these, the newest first | the newest ones                      | as without a limit; may lack a |
/// |                                |                                      | store                         |
/// | any other                      | the first ones of all stores         | not beyond one that is left out |
struct HistoryMerge<Transaction: HistoryTransaction> {
  private let descriptor: HistoryDescriptor<Transaction>
  /// The transactions that the stores have found for `descriptor.inCommitOrder`.
  private let pages: [HistoryPage<Transaction>]
  private let limit: Int

  init(_ pages: [HistoryPage<Transaction>], _ descriptor: HistoryDescriptor<Transaction>) {
    self.pages = pages
    self.descriptor = descriptor
    limit = descriptor.fetchLimit == 0 ? Int.max : Int(clamping: descriptor.fetchLimit)
  }

  var transactions: [Transaction] {
    let isPage = limit < .max && !descriptor.sortBy.isEmpty
    let order = isPage ? descriptor.pageOrder : .newestFirst
    if isPage, order == .time { return continuing(sorted(inTimeOrder(pages, limit))) }
    if pages.count == 1 { return pages[0].transactions }
    if descriptor.sortBy.isEmpty { return inTimeOrder(pages, limit) }
    if order == .number { return continuing(sorted(pages.flatMap(\.transactions))) }
    let committed = inTimeOrder(pages.map(\.inCommitOrder), .max, isCut: isCut)
    return order == .other ? withoutSkipping(sorted(committed)) : sorted(committed)
  }

  /// Whether a limit may have left out transactions of a page.
  private func isCut(_ page: HistoryPage<Transaction>) -> Bool { page.transactions.count >= limit }

  private func sorted(_ transactions: [Transaction]) -> [Transaction] {
    Array(transactions.sorted(asFetchedBy: descriptor.sortBy).prefix(limit))
  }

  /// - Parameters:
  ///   - pages: Transactions of each store in the order of its commits.
  ///   - isCut: Whether earlier transactions of a page may have been left out.
  private func inTimeOrder(
    _ pages: [HistoryPage<Transaction>], _ limit: Int,
    isCut: (HistoryPage<Transaction>) -> Bool = { _ in false }
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

  // MARK: Tokens of a page

  /// The transactions with tokens after which a fetch continues with the others: the position of a store is
  /// the last transaction up to which, in the order of its commits, all are returned.
  private func continuing(_ returned: [Transaction]) -> [Transaction] {
    var (positions, times): ([String: Int64], [String: Double]) = ([:], [:])
    var rest: [String: ArraySlice<Transaction>] = [:]
    for page in pages.map(\.inCommitOrder) {
      positions[page.storeIdentifier] = page.positionBeforeFirst
      rest[page.storeIdentifier] = page.transactions[...]
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
      return own.with(DefaultHistoryToken(positions, times: times, lastStore: store))
        as? Transaction ?? transaction
    }
  }

  /// The transactions with tokens that do not pass a transaction which was left out. Of a page that was cut
  /// in an order of its own any may be missing.
  private func withoutSkipping(_ returned: [Transaction]) -> [Transaction] {
    let known = Set(returned)
    var ends: [String: Int64] = [:]
    for page in pages {
      let missing = page.inCommitOrder.transactions.first { !known.contains($0) }
      let number = (missing as? DefaultHistoryTransaction)?.transactionIdentifier
      ends[page.storeIdentifier] = isCut(page) ? 0 : number.map { $0 - 1 }
    }
    return returned.map { transaction in
      guard let own = transaction as? DefaultHistoryTransaction else { return transaction }
      return own.with(own.token.notAfter(ends)) as? Transaction ?? transaction
    }
  }
}

/// The order of a page of transactions.
private enum HistoryPageOrder {
  case time
  case number
  case newestFirst
  case other
}

extension HistoryDescriptor {
  /// The request without its order, if it is one for a page by time. The transactions of the page are the ones
  /// that were committed next, also if a clock was wrong: those before a token can't be requested after it.
  var inCommitOrder: HistoryDescriptor {
    guard fetchLimit > 0, pageOrder == .time else { return self }
    var request = self
    request.sortBy = []
    return request
  }

  fileprivate var pageOrder: HistoryPageOrder {
    typealias Own = DefaultHistoryTransaction
    guard let first = (self as? HistoryDescriptor<Own>)?.sortBy.first, let property = first.keyPath
    else { return .other }
    let isNumber = property == \Own.transactionIdentifier || property == \Own.id
    guard isNumber || property == \Own.timestamp || property == \Own.token else { return .other }
    if first.order == .reverse { return .newestFirst }
    return isNumber ? .number : .time
  }
}

extension DefaultHistoryToken {
  /// The token with earlier positions, where it is beyond some.
  fileprivate func notAfter(_ ends: [String: Int64]) -> DefaultHistoryToken {
    var (positions, times): ([String: Int64], [String: Double]) = ([:], [:])
    for store in storeIdentifiers {
      let own = transaction(ofStore: store) ?? 0
      let end = min(ends[store] ?? own, own)
      positions[store] = end
      times[store] = end == own ? time(ofStore: store) : nil
    }
    return DefaultHistoryToken(positions, times: times, lastStore: lastStore)
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
