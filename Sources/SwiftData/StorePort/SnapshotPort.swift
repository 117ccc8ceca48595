import Synchronization

/// The port for stores with the public `DataStore` protocol, which uses requests and snapshots.
///
/// Snapshots of the store are converted to `DefaultSnapshot` and back, property by property
/// (`SnapshotConversion.swift`). The port uses only what the protocol provides:
///
/// * If the store prefers not to filter or sort, the request is repeated without, and memory does
///   the rest.
/// * If the store answers a request for a class without the rows of its subclasses, they are fetched
///   too (`SnapshotPort+Subclasses.swift`).
/// * One or several rows are fetched with a predicate that tests membership in a set of
///   identifiers.
/// * A to-many relationship is the list in its owner's snapshot. If the store has no such list, the
///   inverse relationship is used.
/// * A save is committed as soon as `save` returns, so it cannot be abandoned.
final class SnapshotPort<Store: DataStore>: StorePort {
  let store: Store
  let schema: Schema
  let types: [String: any PersistentModel.Type]
  /// The classes for which the store is known to return the rows of subclasses, or not to.
  let knownAnswers = Mutex<[ObjectIdentifier: AnswerScope]>([:])

  init(store: Store, schema: Schema, types: [String: any PersistentModel.Type]) {
    self.store = store
    self.schema = schema
    self.types = types
  }

  var identifier: String { store.identifier }

  var name: String { store.configuration.name }

  func begin(_ editingState: EditingState) { store.initializeState(for: editingState) }

  func end(_ editingState: EditingState) { store.invalidateState(for: editingState) }
}

// Stores are thread-safe by contract, `knownAnswers` has a lock, everything else is constant.
extension SnapshotPort: @unchecked Sendable {}
