public import Foundation

/// Which transactions of a history to fetch or delete.
public struct HistoryDescriptor<TransactionType> where TransactionType: HistoryTransaction {
  /// Which transactions; `nil` for all.
  public var predicate: Predicate<TransactionType>?

  /// The maximum number of transactions; 0 for no limit.
  public var fetchLimit: UInt64 = 0

  /// The order of the transactions; the oldest first when empty.
  public var sortBy: [SortDescriptor<TransactionType>] = []

  /// Creates a descriptor of transactions that match a predicate.
  public init(predicate: Predicate<TransactionType>? = nil) {
    self.predicate = predicate
  }

  /// Creates a descriptor of transactions that match a predicate, in an order.
  @_disfavoredOverload
  public init(
    predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>] = []
  ) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}

/// A store that records what was changed, and when.
public protocol HistoryProviding {
  /// The transactions of this kind of store.
  associatedtype HistoryType: HistoryTransaction

  /// The type of the transactions.
  static var historyType: Self.HistoryType.Type { get }

  /// Returns the transactions that match a descriptor.
  ///
  /// - Throws: `SwiftDataError.historyTokenExpired` if requested transactions have been deleted.
  func fetchHistory(_ descriptor: HistoryDescriptor<Self.HistoryType>) throws
    -> [Self.HistoryType]

  /// Deletes the transactions that match a descriptor.
  ///
  /// - Throws: The store's error.
  func deleteHistory(_ descriptor: HistoryDescriptor<Self.HistoryType>) throws
}
