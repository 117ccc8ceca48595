import Foundation
import OpenSwiftDataSQLSyntax

/// Reads of the history.
///
/// 1. The predicate is compiled over the table of transactions and gives the numbers of those that match, in
///    order, with the limit unless memory has to judge.
/// 2. Their rows and their changes are read by number, some hundred at a time, and made public values.
/// 3. What SQL could not say is judged on these, until the limit is reached.
///
/// All statements see one state of the store.
extension RelationalStore {
  package func history<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, stores: Set<String>
  ) throws -> HistoryPage<T>? {
    guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else {
      return nil
    }
    return try transactions(descriptor, stores: stores) as? HistoryPage<T>
  }

  func transactions(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, stores: Set<String>
  ) throws -> HistoryPage<DefaultHistoryTransaction> {
    if history == nil { return HistoryPage(storeIdentifier: identifier, transactions: [], end: 0) }
    return try driver.snapshot {
      try driver.read { session in
        let reading = HistoryReading(store: self, session: session)
        let end = try reading.rows.lastGiven()
        try reading.checkTokens(of: descriptor.predicate, stores: stores, end: end)
        return HistoryPage(
          storeIdentifier: identifier, transactions: try reading.transactions(descriptor), end: end)
      }
    }
  }
}
