import Foundation

/// Warnings about values that migrations have deleted.
enum MigrationLossLog {
  /// - Parameters:
  ///   - version: The version that the store was migrated to.
  ///   - copy: The copy of the store from before the migration.
  static func note(_ losses: [MigrationLoss], of url: URL, before version: String, copy: URL?) {
    let kept = copy.map { "A copy of the earlier store is at \($0.path)." } ?? "There is no copy."
    for loss in losses {
      WarningLog.write(
        "the migration of the store at \(url.path) to version \(version) deleted \(loss). \(kept)"
      )
    }
  }
}
