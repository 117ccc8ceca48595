public import Foundation

/// What one save changed in a store.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// A place in the history of a store.
  associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable

  /// Numbers the transactions of a store.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// When the save happened.
  var timestamp: Date { get }

  /// What it changed, in the order of the changes.
  var changes: [HistoryChange] { get }

  /// The place in the history right after this transaction.
  var token: Self.TokenType { get }

  /// The number of the transaction.
  var transactionIdentifier: Self.TransactionIdentifier { get }

  /// The store that was changed.
  var storeIdentifier: String { get }

  /// Who made the changes, as the context said.
  var author: String? { get }
}

/// A place in the history of one or several stores; it can be kept in a file.
public protocol HistoryToken: Comparable, Decodable, Encodable, Hashable, Identifiable, Sendable {
  /// What the token is made of.
  associatedtype TokenType: Decodable, Encodable, Hashable, Sendable

  /// What this token is made of.
  var tokenValue: Self.TokenType? { get }

  /// The store that the token is of; empty for a token that does not say.
  var storeIdentifier: String { get }
}

extension HistoryToken {
  /// Empty: the token does not say which store it is of.
  public var storeIdentifier: String { "" }
}
