import Foundation
import SQLiteEngine

extension DefaultStore {
  /// Writes a save in one transaction.
  /// - Parameter request: What was inserted, updated and deleted.
  /// - Returns: The permanent identifiers of inserted models.
  /// - Throws: `SwiftDataError.modelValidationFailure` for a violated rule, or the database's error;
  ///   nothing is stored then.
  public func save(
    _ request: DataStoreSaveChangesRequest<Snapshot>
  ) throws -> DataStoreSaveChangesResult<Snapshot> {
    guard configuration.allowsSave else {
      throw SwiftDataError.modelValidationFailure.with(
        "The store \(name) was opened with allowsSave: false.")
    }
    let remapped = try write { connection in
      try connection.transaction {
        var writer = SaveWriter(store: self, connection: connection)
        return try writer.write(request)
      }
    }
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }
}
