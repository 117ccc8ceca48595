import Foundation

/// Warnings on standard error about values that migrations have deleted.
package enum MigrationLossLog {
  /// Receives the lines instead of standard error.
  @TaskLocal package static var receiver: (@Sendable (String) -> Void)?

  /// - Parameters:
  ///   - version: The version that the store was migrated to.
  ///   - copy: The copy of the store from before the migration.
  static func note(_ losses: [MigrationLoss], of url: URL, before version: String, copy: URL?) {
    let kept = copy.map { "The store as it was is kept at \($0.path)." } ?? "No copy was kept."
    for loss in losses {
      write(
        "the migration of the store at \(url.path) to version \(version) has deleted \(loss). \(kept)"
      )
    }
  }

  private static func write(_ text: String) {
    if let receiver { return receiver(text) }
    FileHandle.standardError.write(Data("SwiftData: \(text)\n".utf8))
  }
}
