/// A request to save the changes of a context; each model is in one of the lists only.
public struct DataStoreSaveChangesRequest<SnapshotType>: Sendable
where SnapshotType: DataStoreSnapshot {
  /// New models, with temporary identifiers.
  public let inserted: [SnapshotType]

  /// Stored models with changed values.
  public let updated: [SnapshotType]

  /// Stored models to delete, including those that delete rules delete.
  public let deleted: [SnapshotType]

  /// Identifies the context that makes the request.
  public let editingState: EditingState

  /// Whether the context refuses new models with the unique values of a stored one, or of each other:
  /// its `uniquenessPolicy` is `.refuse`.
  ///
  /// A store that updates the stored row otherwise throws ``SwiftDataError/uniquenessViolation`` then, and stores
  /// nothing. Not in Apple's framework.
  public let refusesUpserts: Bool

  /// Whether `DataStoreSaveChangesResult.merged` needs the links of the rows.
  package let notesEarlierLinks: Bool

  package init(
    inserted: [SnapshotType], updated: [SnapshotType], deleted: [SnapshotType],
    editingState: EditingState, refusesUpserts: Bool = false, notesEarlierLinks: Bool = false
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    self.editingState = editingState
    self.refusesUpserts = refusesUpserts
    self.notesEarlierLinks = notesEarlierLinks
  }
}

/// The answer of a store to a save.
public final class DataStoreSaveChangesResult<T>: Sendable where T: DataStoreSnapshot {
  /// The permanent identifiers of the inserted models, by their temporary ones.
  public final let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]

  /// The store that saved.
  public final let storeIdentifier: String

  /// The values of models that the store itself changed in the save.
  public final let snapshotsToReregister: [PersistentIdentifier: T]

  /// The end of the history after the save; `nil` if the store keeps no history.
  public final let historyToken: (any HistoryToken)?

  /// The temporary identifiers of inserted models that became stored rows, as far as the store tells, and what
  /// the rows were linked to before.
  package final let merged: [PersistentIdentifier: EarlierRowLinks?]

  /// Creates the answer of a store without history.
  public init(
    for storeIdentifier: String,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:]
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
    self.historyToken = nil
    self.merged = [:]
  }

  package init(
    for storeIdentifier: String,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier],
    snapshotsToReregister: [PersistentIdentifier: T],
    merged: [PersistentIdentifier: EarlierRowLinks?]
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
    self.historyToken = nil
    self.merged = merged
  }

  /// Creates the answer of a store with history.
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
    self.merged = [:]
  }
}
