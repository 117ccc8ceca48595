/// A store that answers a save in the order of the request, so that nobody has to look
/// identifiers up.
package protocol OrderedSaving: DataStore where Snapshot == DefaultSnapshot {
  /// Saves as `save(_:)` does.
  /// - Parameters:
  ///   - request: What was inserted, updated and deleted.
  ///   - beforeCommit: Runs when everything is written; nothing is stored when it throws.
  /// - Returns: The permanent identifiers of the inserted models, in their order.
  func saveInOrder(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, beforeCommit: () throws -> Void
  ) throws -> [PersistentIdentifier]
}
