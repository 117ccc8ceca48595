/// The transactions of one store that a fetch has found.
package struct HistoryPage<Transaction: HistoryTransaction> {
  package let storeIdentifier: String
  package let transactions: [Transaction]
  /// The number of the store's last transaction at the time of the fetch; `nil` if the store has no
  /// numbers.
  package let end: Int64?
}
