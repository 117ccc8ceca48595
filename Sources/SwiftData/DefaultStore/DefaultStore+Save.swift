import Foundation

extension DefaultStore {
  /// Writes a save in one transaction.
  /// - Parameter request: What was inserted, updated and deleted.
  /// - Returns: The permanent identifiers of inserted models.
  /// - Throws: `SwiftDataError.modelValidationFailure` for a violated rule, or the database's error;
  ///   nothing is stored then.
  public func save(
    _ request: DataStoreSaveChangesRequest<Snapshot>
  ) throws -> DataStoreSaveChangesResult<Snapshot> {
    let identifiers = try saveInOrder(request, beforeCommit: {})
    return DataStoreSaveChangesResult(
      for: identifier,
      remappedIdentifiers: Dictionary(
        zip(request.inserted.lazy.map(\.persistentIdentifier), identifiers),
        uniquingKeysWith: { first, _ in first }))
  }
}

extension DefaultStore: OrderedSaving {
  package func saveInOrder(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, beforeCommit: () throws -> Void
  ) throws -> [PersistentIdentifier] {
    try requireWritable()
    return try engine.save(request, beforeCommit: beforeCommit)
  }
}
