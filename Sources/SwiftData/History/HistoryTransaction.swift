public import Foundation

/// What one save changed in a store.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// A position in the history of a store.
  associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable

  /// The number of a transaction in its store.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// When the changes were saved.
  var timestamp: Date { get }

  /// The changes, in the order in which they were made.
  var changes: [HistoryChange] { get }

  /// The position in the history right after this transaction.
  var token: Self.TokenType { get }

  /// The number of the transaction.
  var transactionIdentifier: Self.TransactionIdentifier { get }

  /// The identifier of the changed store.
  var storeIdentifier: String { get }

  /// The author that the context declared for the changes.
  var author: String? { get }
}

/// A position in the history of one or several stores; it can be encoded and kept.
public protocol HistoryToken: Comparable, Decodable, Encodable, Hashable, Identifiable, Sendable {
  /// The type of the token's value.
  associatedtype TokenType: Decodable, Encodable, Hashable, Sendable

  /// The value that the token consists of.
  var tokenValue: Self.TokenType? { get }

  /// The identifier of the token's store; empty if the token does not name one.
  var storeIdentifier: String { get }
}

extension HistoryToken {
  /// Empty: the token does not name its store.
  public var storeIdentifier: String { "" }
}
