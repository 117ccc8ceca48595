/// What a context asks a store to save; each model is in one of the lists only.
package struct SaveRequest {
  package var inserted: NewModels
  /// Stored models with changed values.
  package var updated: [DefaultSnapshot]
  /// Stored models to delete. For stores that implement the public protocol they include those that
  /// delete rules delete.
  package let deleted: [DefaultSnapshot]
  /// Identifies the context that makes the request.
  package let editingState: EditingState
}

extension SaveRequest {
  /// A request of the public protocol.
  package init(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) {
    self.init(
      inserted: NewModels(request.inserted), updated: request.updated, deleted: request.deleted,
      editingState: request.editingState)
  }
}
