/// Asks a store to save the changes of a context; no model is in two of the lists.
public struct DataStoreSaveChangesRequest<SnapshotType>: Sendable
where SnapshotType: DataStoreSnapshot {
  /// New models, with temporary identifiers.
  public let inserted: [SnapshotType]

  /// Saved models with other values.
  public let updated: [SnapshotType]

  /// Saved models to remove, those that delete rules take along included.
  public let deleted: [SnapshotType]

  /// The context that asks.
  public let editingState: EditingState

  package init(
    inserted: [SnapshotType], updated: [SnapshotType], deleted: [SnapshotType],
    editingState: EditingState
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    self.editingState = editingState
  }
}

/// What a store tells a context after a save.
public final class DataStoreSaveChangesResult<T>: Sendable where T: DataStoreSnapshot {
  /// The permanent identifiers of the inserted models, by their temporary ones.
  public final let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]

  /// The store that saved.
  public final let storeIdentifier: String

  /// The values of models that the store changed on its own account.
  public final let snapshotsToReregister: [PersistentIdentifier: T]

  /// The end of the history after the save, in stores that keep one.
  public final let historyToken: (any HistoryToken)?

  /// Makes the answer of a store without history.
  public init(
    for storeIdentifier: String,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:]
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
    self.historyToken = nil
  }

  /// Makes the answer of a store with history.
  @_disfavoredOverload
  public init(
    for storeIdentifier: String,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:],
    historyToken: (any HistoryToken)? = nil
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
    self.historyToken = historyToken
  }
}
