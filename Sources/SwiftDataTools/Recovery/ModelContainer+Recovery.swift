public import Foundation
public import SwiftData

extension ModelContainer {
  /// Copies the readable contents of a damaged store into a new one.
  ///
  /// ```swift
  /// let recovery = try ModelContainer.recoverStore(at: damaged, to: recovered)
  /// print(recovery)
  /// let container = try ModelContainer(
  ///   for: Trip.self, Stop.self, configurations: ModelConfiguration(url: recovered))
  /// ```
  ///
  /// Every page of the file is read once, and the damaged file is never written. The new store has
  /// the tables, the identifier and the history of the old one, as far as they can be read; indexes
  /// are rebuilt from the rows. Links to lost models stay in their rows and refer to nothing. Not
  /// in Apple's framework.
  /// - Parameters:
  ///   - source: The damaged store; release containers that have it open first.
  ///   - destination: Where the new store is created. No file may exist there.
  ///   - schema: The models; needed only if the file has lost its own description.
  /// - Returns: What was copied and what was lost.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` with the reason; no new file exists then.
  @discardableResult
  public static func recoverStore(
    at source: URL, to destination: URL, for schema: Schema? = nil
  ) throws -> StoreRecovery {
    try StoreRecoveryRun.recover(from: source, to: destination, schema: schema)
  }
}
