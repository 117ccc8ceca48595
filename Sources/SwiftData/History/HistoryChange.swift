/// The insertion, update or deletion of one model in a transaction.
public enum HistoryChange: Sendable {
  /// A model was inserted.
  case insert(any HistoryInsert)

  /// Values of a model were changed.
  case update(any HistoryUpdate)

  /// A model was deleted.
  case delete(any HistoryDelete)

  /// The identifier of the changed model.
  public var changedPersistentIdentifier: PersistentIdentifier {
    switch self {
    case .insert(let change): change.changedPersistentIdentifier
    case .update(let change): change.changedPersistentIdentifier
    case .delete(let change): change.changedPersistentIdentifier
    }
  }
}

/// The insertion of a model.
public protocol HistoryInsert<Model>: Sendable {
  /// The type of the model.
  associatedtype Model: PersistentModel

  /// The number of a transaction in its store.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// The number of a change in its store.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// The number of the change.
  var changeIdentifier: Self.ChangeIdentifier { get }

  /// The number of the transaction that contains the change.
  var transactionIdentifier: Self.TransactionIdentifier { get }

  /// The identifier of the inserted model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// A change of values of a model.
public protocol HistoryUpdate<Model>: Sendable {
  /// The type of the model.
  associatedtype Model: PersistentModel

  /// The number of a transaction in its store.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// The number of a change in its store.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// A changed property.
  typealias PropertyUpdate = PartialKeyPath<Self.Model> & Sendable

  /// The number of the change.
  var changeIdentifier: Self.ChangeIdentifier { get }

  /// The number of the transaction that contains the change.
  var transactionIdentifier: Self.TransactionIdentifier { get }

  /// The identifier of the changed model.
  var changedPersistentIdentifier: PersistentIdentifier { get }

  /// The properties that were changed.
  var updatedAttributes: [any PartialKeyPath<Self.Model> & Sendable] { get }
}

/// The deletion of a model.
public protocol HistoryDelete<Model>: Sendable {
  /// The type of the model.
  associatedtype Model: PersistentModel

  /// The number of a transaction in its store.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// The number of a change in its store.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// The number of the change.
  var changeIdentifier: Self.ChangeIdentifier { get }

  /// The number of the transaction that contains the change.
  var transactionIdentifier: Self.TransactionIdentifier { get }

  /// The identifier of the deleted model.
  var changedPersistentIdentifier: PersistentIdentifier { get }

  /// The values that are preserved after the deletion.
  var tombstone: HistoryTombstone<Self.Model> { get }
}
