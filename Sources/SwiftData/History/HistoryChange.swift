/// One model that a transaction inserted, updated or deleted.
public enum HistoryChange: Sendable {
  /// A model was inserted.
  case insert(any HistoryInsert)

  /// Values of a model were changed.
  case update(any HistoryUpdate)

  /// A model was deleted.
  case delete(any HistoryDelete)

  /// The model that was changed.
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

  /// Numbers the transactions of a store.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// Numbers the changes of a store.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// The number of the change.
  var changeIdentifier: Self.ChangeIdentifier { get }

  /// The number of the transaction that it belongs to.
  var transactionIdentifier: Self.TransactionIdentifier { get }

  /// The inserted model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// A change of values of a model.
public protocol HistoryUpdate<Model>: Sendable {
  /// The type of the model.
  associatedtype Model: PersistentModel

  /// Numbers the transactions of a store.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// Numbers the changes of a store.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// A changed property.
  typealias PropertyUpdate = PartialKeyPath<Self.Model> & Sendable

  /// The number of the change.
  var changeIdentifier: Self.ChangeIdentifier { get }

  /// The number of the transaction that it belongs to.
  var transactionIdentifier: Self.TransactionIdentifier { get }

  /// The changed model.
  var changedPersistentIdentifier: PersistentIdentifier { get }

  /// The properties that were changed.
  var updatedAttributes: [any PartialKeyPath<Self.Model> & Sendable] { get }
}

/// The deletion of a model.
public protocol HistoryDelete<Model>: Sendable {
  /// The type of the model.
  associatedtype Model: PersistentModel

  /// Numbers the transactions of a store.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// Numbers the changes of a store.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// The number of the change.
  var changeIdentifier: Self.ChangeIdentifier { get }

  /// The number of the transaction that it belongs to.
  var transactionIdentifier: Self.TransactionIdentifier { get }

  /// The deleted model.
  var changedPersistentIdentifier: PersistentIdentifier { get }

  /// The values that outlive the model.
  var tombstone: HistoryTombstone<Self.Model> { get }
}
