/// The insertion of a model into the default store.
public struct DefaultHistoryInsert<Model>: HistoryInsert, Hashable where Model: PersistentModel {
  /// The number of a transaction in the store.
  public typealias TransactionIdentifier = Int64

  /// The number of a change in the store.
  public typealias ChangeIdentifier = Int64

  /// The number of the change.
  public let changeIdentifier: DefaultHistoryInsert<Model>.ChangeIdentifier

  /// The number of the transaction that contains the change.
  public let transactionIdentifier: DefaultHistoryInsert<Model>.TransactionIdentifier

  /// The identifier of the inserted model.
  public let changedPersistentIdentifier: PersistentIdentifier

  package init(
    changeIdentifier: Int64, transactionIdentifier: Int64,
    changedPersistentIdentifier: PersistentIdentifier
  ) {
    self.changeIdentifier = changeIdentifier
    self.transactionIdentifier = transactionIdentifier
    self.changedPersistentIdentifier = changedPersistentIdentifier
  }

  /// Whether both are the same change of the same model.
  public static func == (
    lhs: DefaultHistoryInsert<Model>, rhs: DefaultHistoryInsert<Model>
  ) -> Bool {
    lhs.changeIdentifier == rhs.changeIdentifier
      && lhs.transactionIdentifier == rhs.transactionIdentifier
      && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
  }

  /// Hashes the number of the change and the model.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}

/// A change of values of a model in the default store.
public struct DefaultHistoryUpdate<Model>: HistoryUpdate, Hashable where Model: PersistentModel {
  /// The number of a transaction in the store.
  public typealias TransactionIdentifier = Int64

  /// The number of a change in the store.
  public typealias ChangeIdentifier = Int64

  /// A changed property.
  public typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

  /// The number of the change.
  public let changeIdentifier: DefaultHistoryUpdate<Model>.ChangeIdentifier

  /// The number of the transaction that contains the change.
  public let transactionIdentifier: DefaultHistoryUpdate<Model>.TransactionIdentifier

  /// The identifier of the changed model.
  public let changedPersistentIdentifier: PersistentIdentifier

  /// The properties that were changed.
  public let updatedAttributes: [any PartialKeyPath<Model> & Sendable]

  package init(
    changeIdentifier: Int64, transactionIdentifier: Int64,
    changedPersistentIdentifier: PersistentIdentifier,
    updatedAttributes: [any PartialKeyPath<Model> & Sendable]
  ) {
    self.changeIdentifier = changeIdentifier
    self.transactionIdentifier = transactionIdentifier
    self.changedPersistentIdentifier = changedPersistentIdentifier
    self.updatedAttributes = updatedAttributes
  }

  /// Whether both are the same change of the same model.
  public static func == (
    lhs: DefaultHistoryUpdate<Model>, rhs: DefaultHistoryUpdate<Model>
  ) -> Bool {
    lhs.changeIdentifier == rhs.changeIdentifier
      && lhs.transactionIdentifier == rhs.transactionIdentifier
      && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
      && lhs.updatedAttributes.elementsEqual(rhs.updatedAttributes) {
        ($0 as PartialKeyPath<Model>) == ($1 as PartialKeyPath<Model>)
      }
  }

  /// Hashes the number of the change and the model.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}

/// The deletion of a model from the default store.
public struct DefaultHistoryDelete<Model>: HistoryDelete, Hashable where Model: PersistentModel {
  /// The number of a transaction in the store.
  public typealias TransactionIdentifier = Int64

  /// The number of a change in the store.
  public typealias ChangeIdentifier = Int64

  /// The number of the change.
  public let changeIdentifier: DefaultHistoryDelete<Model>.ChangeIdentifier

  /// The number of the transaction that contains the change.
  public let transactionIdentifier: DefaultHistoryDelete<Model>.TransactionIdentifier

  /// The identifier of the deleted model.
  public let changedPersistentIdentifier: PersistentIdentifier

  /// The values that are preserved after the deletion.
  public let tombstone: HistoryTombstone<Model>

  package init(
    changeIdentifier: Int64, transactionIdentifier: Int64,
    changedPersistentIdentifier: PersistentIdentifier, tombstone: HistoryTombstone<Model>
  ) {
    self.changeIdentifier = changeIdentifier
    self.transactionIdentifier = transactionIdentifier
    self.changedPersistentIdentifier = changedPersistentIdentifier
    self.tombstone = tombstone
  }

  /// Whether both are the same change of the same model.
  public static func == (
    lhs: DefaultHistoryDelete<Model>, rhs: DefaultHistoryDelete<Model>
  ) -> Bool {
    lhs.changeIdentifier == rhs.changeIdentifier
      && lhs.transactionIdentifier == rhs.transactionIdentifier
      && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
  }

  /// Hashes the number of the change and the model.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}
