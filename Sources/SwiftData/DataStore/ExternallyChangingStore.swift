/// A store whose rows may change without a save of its container, such as a file that others edit.
///
/// A container observes such a store as it observes the files of the default store: while results,
/// queries or ``ModelContainer/observesRemoteChanges`` need it. Contexts then read the changed
/// models again, and live results follow. Not in Apple's framework.
public protocol ExternallyChangingStore: DataStore {
  /// Reports changes of other writers, as long as the returned object exists.
  ///
  /// - Parameter report: Called on any thread after each change that no save of this store made.
  ///   A fetch after the call must see the change.
  func observeExternalChanges(
    _ report: @escaping @Sendable (DataStoreExternalChanges) -> Void
  ) -> any AnyObject & Sendable
}

/// What another writer has changed in a store. Not in Apple's framework.
public struct DataStoreExternalChanges: Hashable, Sendable {
  /// New rows.
  public var inserted: [PersistentIdentifier]

  /// Rows with other values or other related rows.
  public var updated: [PersistentIdentifier]

  /// Rows that do not exist any more.
  public var deleted: [PersistentIdentifier]

  /// Whether other rows may have changed too, so that everything in memory has to be read again.
  public var mayConcernOthers: Bool

  /// Creates a description of changes; by default of none.
  public init(
    inserted: [PersistentIdentifier] = [], updated: [PersistentIdentifier] = [],
    deleted: [PersistentIdentifier] = [], mayConcernOthers: Bool = false
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    self.mayConcernOthers = mayConcernOthers
  }
}
