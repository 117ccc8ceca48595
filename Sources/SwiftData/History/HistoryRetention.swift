public import Foundation

/// How much history a store keeps, by age, number of transactions and size.
///
/// ```swift
/// var configuration = ModelConfiguration("trips")
/// configuration.historyRetention = HistoryRetention(maximumAge: 30 * 86_400)
/// ```
///
/// History beyond any of the limits is deleted: the oldest transactions first, always whole ones.
///
/// - Pruning follows a save or a batch deletion, in its own transaction, with about a thousand
///   changes at a time. A long history therefore shrinks gradually. While no limit can be exceeded,
///   pruning reads nothing.
/// - A limit may be exceeded by one sixteenth before pruning starts, so that not every save prunes.
/// - Transactions that an observer in this process has not read yet are kept.
///
/// A fetch with a token from before the remaining history throws
/// `SwiftDataError.historyTokenExpired`. Freed space is reused for new rows. Not in Apple's
/// framework.
public struct HistoryRetention: Hashable, Sendable {
  /// The maximum age of transactions, in seconds; `nil` for no limit.
  ///
  /// A transaction with a timestamp in the future, from a wrong clock, also keeps all transactions
  /// after it.
  public var maximumAge: TimeInterval?

  /// The maximum number of transactions; `nil` for no limit.
  public var maximumCount: Int?

  /// The maximum size of the history in the store's file, in bytes; `nil` for no limit.
  ///
  /// The size is an estimate from the numbers of the first and the last change and transaction, and
  /// from the values that the last changes preserve. Changes that were deleted from the middle of
  /// the history count as if they still existed. In PostgreSQL a range of changed rows counts as a change for
  /// each row.
  public var maximumSize: Int?

  /// Creates limits; `nil` means no limit.
  ///
  /// - Parameters:
  ///   - maximumAge: The maximum age of transactions, in seconds.
  ///   - maximumCount: The maximum number of transactions.
  ///   - maximumSize: The maximum size of the history in the store's file, in bytes.
  public init(
    maximumAge: TimeInterval? = nil, maximumCount: Int? = nil, maximumSize: Int? = nil
  ) {
    self.maximumAge = maximumAge
    self.maximumCount = maximumCount
    self.maximumSize = maximumSize
  }
}

extension HistoryRetention {
  /// - Throws: `SwiftDataError.loadIssueModelContainer` for limits that are no numbers from zero on. A
  ///   negative one would delete the whole history.
  package func validate() throws {
    func require(_ isAllowed: Bool, _ name: String, _ value: String) throws {
      try SwiftDataError.requireOption(
        isAllowed, "historyRetention.\(name)", value, "0 or more, or nil for no limit")
    }
    // Not a number is not more than zero.
    if let maximumAge { try require(maximumAge >= 0, "maximumAge", "\(maximumAge)") }
    if let maximumCount { try require(maximumCount >= 0, "maximumCount", "\(maximumCount)") }
    if let maximumSize { try require(maximumSize >= 0, "maximumSize", "\(maximumSize)") }
  }
}
