/// The default store answers contexts itself, in rows; each part of the port has its file.
extension DefaultStore: StorePort {
  package var isReversible: Bool { true }

  package func begin(_ editingState: EditingState) { initializeState(for: editingState) }

  package func end(_ editingState: EditingState) { invalidateState(for: editingState) }
}
