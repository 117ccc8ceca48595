/// The port to a store that speaks the public `DataStore` protocol: requests and snapshots.
///
/// Snapshots of the store become `DefaultSnapshot` values and back, property by property
/// (`SnapshotConversion`). The store is asked for no more than the protocol has:
///
/// * Where it would rather not filter or sort it is asked again without, and memory does the rest.
/// * A row, or a run of rows, is a fetch whose predicate tests membership in a set of identifiers.
/// * A to-many relationship is the list in the snapshot of its owner; where a store keeps none, the
///   other side of the relationship tells.
/// * A save counts as prepared when `save` has returned, so it cannot be abandoned.
final class SnapshotPort<Store: DataStore>: StorePort {
  let store: Store
  let schema: Schema
  let types: [String: any PersistentModel.Type]

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

// The store is thread safe by contract, the rest is constant.
extension SnapshotPort: @unchecked Sendable {}
