public import Foundation

extension ModelContainer {
  /// Copies what can be read of a damaged store into a new one.
  ///
  /// ```swift
  /// let recovery = try ModelContainer.recoverStore(at: damaged, to: recovered)
  /// print(recovery)
  /// let container = try ModelContainer(
  ///   for: Trip.self, Stop.self, configurations: ModelConfiguration(url: recovered))
  /// ```
  ///
  /// Every page of the file is read once, and the damaged file is never written. The new store has the tables,
  /// the identifier and the history of the old one, as far as they can be read; indexes are
  /// made from the rows. Links to models that are lost stay in their rows and lead nowhere.
  /// Not in Apple's framework.
  /// - Parameters:
  ///   - source: The damaged store; containers that have it open should be gone.
  ///   - destination: Where the new store is made. There must be no file.
  ///   - schema: The models; needed only where the file has lost what it says about itself.
  /// - Returns: What was copied and what was lost.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` with the reason; there is no new file then.
  @discardableResult
  public static func recoverStore(
    at source: URL, to destination: URL, for schema: Schema? = nil
  ) throws -> StoreRecovery {
    try StoreRecoveryRun.recover(from: source, to: destination, schema: schema)
  }
}
