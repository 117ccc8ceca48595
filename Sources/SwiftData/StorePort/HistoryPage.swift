/// Transactions of one store that a fetch found.
package struct HistoryPage<Transaction: HistoryTransaction> {
  package let storeIdentifier: String
  package let transactions: [Transaction]
  /// The number of the store's last transaction when they were read; `nil` where it does not number them.
  package let end: Int64?
}
