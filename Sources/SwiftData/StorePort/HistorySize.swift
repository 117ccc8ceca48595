public import Foundation

/// How much history a store has. Not in Apple's framework.
public struct HistorySize: Hashable, Sendable {
  /// The identifier of the store, as in ``PersistentIdentifier/storeIdentifier``.
  public let storeIdentifier: String
  /// The number of transactions.
  public let transactionCount: Int
  /// The number of changes in them.
  public let changeCount: Int
  /// The time of the oldest transaction; `nil` if there is none.
  public let oldest: Date?
  /// The size in the store in bytes, estimated as ``HistoryRetention/maximumSize`` is.
  public let byteCount: Int
}
