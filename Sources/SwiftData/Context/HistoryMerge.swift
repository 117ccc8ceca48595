/// Puts the histories of several stores together.
///
/// Without an order of the descriptor the store whose next transaction is the oldest comes next, so the order
/// within each store stays, whatever its clock said. A token of such a transaction names all stores: the
/// transactions that came before it here, so that the next fetch goes on behind it in each of them.
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
    if !descriptor.sortBy.isEmpty {
      let all = pages.flatMap(\.transactions).sorted(using: descriptor.sortBy)
      return Array(all.prefix(limit))
    }
    return inTimeOrder(limit)
  }

  private func inTimeOrder(_ limit: Int) -> [Transaction] {
    var places = pages.map { _ in 0 }
    // What lies before the first transaction of a page was not asked for; an empty page lies behind all.
    var positions: [String: Int64] = [:]
    for page in pages { positions[page.storeIdentifier] = page.positionBeforeFirst }
    var merged: [Transaction] = []
    while merged.count < limit {
      let next = pages.indices.filter { places[$0] < pages[$0].transactions.count }
        .min { a, b in
          let (left, right) = (pages[a].transactions[places[a]], pages[b].transactions[places[b]])
          return left.timestamp < right.timestamp
        }
      guard let next else { break }
      let transaction = pages[next].transactions[places[next]]
      places[next] += 1
      guard let own = transaction as? DefaultHistoryTransaction else {
        merged.append(transaction)
        continue
      }
      positions[own.storeIdentifier] = own.transactionIdentifier
      let named = own.with(DefaultHistoryToken(positions))
      if let named = named as? Transaction { merged.append(named) }
    }
    return merged
  }
}

extension HistoryPage {
  /// The number of the transaction before the first one; `nil` where the store does not number them.
  fileprivate var positionBeforeFirst: Int64? {
    guard let first = transactions.first else { return end }
    return (first as? DefaultHistoryTransaction).map { $0.transactionIdentifier - 1 }
  }
}
