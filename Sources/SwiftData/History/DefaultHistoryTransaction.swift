public import Foundation

/// What one save changed in the default store.
public struct DefaultHistoryTransaction: HistoryTransaction {
  /// The number of a transaction in the store, from 1.
  public typealias TransactionIdentifier = Int64

  /// A position in the history of the store.
  public typealias TokenType = DefaultHistoryToken

  /// The type of `id`.
  public typealias ID = Int64

  /// When the changes were saved.
  public let timestamp: Date

  /// The changes, in the order of their numbers.
  public let changes: [HistoryChange]

  /// The position in the history right after this transaction.
  public let token: DefaultHistoryTransaction.TokenType

  /// The number of the transaction.
  public let transactionIdentifier: DefaultHistoryTransaction.TransactionIdentifier

  /// The identifier of the changed store.
  public let storeIdentifier: String

  /// The bundle identifier of the app that made the changes; its process name if it has none.
  public let bundleIdentifier: String

  /// The name of the process that made the changes.
  public let processIdentifier: String

  /// The author that the context declared for the changes.
  public let author: String?

  /// The ``ModelContext/name`` of the context that made the changes. Not in Apple's framework.
  ///
  /// For the changes of a migration it is a text such as `migration to 2.0.0`.
  public let contextName: String?

  /// The number of the transaction.
  public var id: Int64 { transactionIdentifier }

  package init(
    transactionIdentifier: Int64, storeIdentifier: String, timestamp: Date,
    changes: [HistoryChange], bundleIdentifier: String, processIdentifier: String,
    author: String?, contextName: String? = nil, token: DefaultHistoryToken? = nil
  ) {
    self.transactionIdentifier = transactionIdentifier
    self.storeIdentifier = storeIdentifier
    self.timestamp = timestamp
    self.changes = changes
    self.bundleIdentifier = bundleIdentifier
    self.processIdentifier = processIdentifier
    self.author = author
    self.contextName = contextName
    self.token =
      token
      ?? DefaultHistoryToken(
        [storeIdentifier: transactionIdentifier],
        times: [storeIdentifier: timestamp.timeIntervalSinceReferenceDate])
  }

  /// The same transaction with another token.
  package func with(_ token: DefaultHistoryToken) -> DefaultHistoryTransaction {
    DefaultHistoryTransaction(
      transactionIdentifier: transactionIdentifier, storeIdentifier: storeIdentifier,
      timestamp: timestamp, changes: changes, bundleIdentifier: bundleIdentifier,
      processIdentifier: processIdentifier, author: author,
      contextName: contextName, token: token)
  }

  /// Whether both are the same transaction of the same store.
  public static func == (
    lhs: DefaultHistoryTransaction, rhs: DefaultHistoryTransaction
  ) -> Bool {
    lhs.transactionIdentifier == rhs.transactionIdentifier
      && lhs.storeIdentifier == rhs.storeIdentifier
  }

  /// Hashes the number and the store.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(transactionIdentifier)
    hasher.combine(storeIdentifier)
  }
}
