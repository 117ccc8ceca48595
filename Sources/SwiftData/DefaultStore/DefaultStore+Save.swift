import Foundation
import OpenSwiftDataSQLiteEngine

extension DefaultStore {
  /// Writes a save in one transaction.
  /// - Parameter request: What was inserted, updated and deleted.
  /// - Returns: The permanent identifiers of inserted models.
  /// - Throws: `SwiftDataError.modelValidationFailure` for a violated rule, or
  ///   `.storeWriteFailure`; nothing is stored then.
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
    guard configuration.allowsSave else {
      throw SwiftDataError.modelValidationFailure.with(
        "The store \(name) was opened with allowsSave: false. Open it with allowsSave: true, or roll "
          + "back.")
    }
    return try write { connection in
      try connection.transaction {
        var writer = SaveWriter(store: self, connection: connection)
        let identifiers = try writer.write(request)
        try beforeCommit()
        return identifiers
      }
    }
  }
}
