public import Foundation

/// Which transactions of a history to fetch or delete.
public struct HistoryDescriptor<TransactionType> where TransactionType: HistoryTransaction {
  /// Which transactions; all of them when there is none.
  public var predicate: Predicate<TransactionType>?

  /// The largest number of transactions; 0 stands for no limit.
  public var fetchLimit: UInt64 = 0

  /// The order of the transactions; the oldest first when empty.
  public var sortBy: [SortDescriptor<TransactionType>] = []

  /// Describes transactions that meet a predicate.
  public init(predicate: Predicate<TransactionType>? = nil) {
    self.predicate = predicate
  }

  /// Describes transactions that meet a predicate, in an order.
  @_disfavoredOverload
  public init(
    predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>] = []
  ) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}

/// A store that remembers what was changed, and when.
public protocol HistoryProviding {
  /// The transactions of this kind of store.
  associatedtype HistoryType: HistoryTransaction

  /// The type of the transactions.
  static var historyType: Self.HistoryType.Type { get }

  /// Returns transactions.
  ///
  /// - Throws: `SwiftDataError.historyTokenExpired` when they have been deleted.
  func fetchHistory(_ descriptor: HistoryDescriptor<Self.HistoryType>) throws
    -> [Self.HistoryType]

  /// Forgets transactions.
  ///
  /// - Throws: The store's error.
  func deleteHistory(_ descriptor: HistoryDescriptor<Self.HistoryType>) throws
}
