import Foundation

/// Warnings about migrations whose effect nobody may expect, such as deleted values.
package enum MigrationLossLog {
  /// - Parameters:
  ///   - version: The version that the store was migrated to.
  ///   - copy: The copy of the store from before the migration.
  static func note(_ losses: [MigrationLoss], of url: URL, before version: String, copy: URL?) {
    note(losses, of: "store at \(url.path)", before: version, sentence(about: copy))
  }

  static func note(exchanged names: [String], of url: URL, copy: URL?) {
    note(exchanged: names, in: "store at \(url.path)", sentence(about: copy))
  }

  private static func sentence(about copy: URL?) -> String {
    copy.map { "A copy of the earlier store is at \($0.path)." } ?? "There is no copy."
  }

  /// Writes a line about models and properties that have exchanged their names without another version.
  package static func note(exchanged names: [String], in store: String, _ copy: String) {
    if names.isEmpty { return }
    WarningLog.write(
      "\(names.joined(separator: ", ")) of the \(store) have exchanged their values in all rows, because their "
        + "originalName says so and the store did not know it yet. \(copy)")
  }

  /// Writes a line about relationships that have become inverses of each other and had different links.
  /// - Parameter links: Clauses about the links that a relationship got from the other one.
  package static func note(united links: [String], in store: String, before version: String) {
    if links.isEmpty { return }
    WarningLog.write(
      "in the migration of the \(store) to version \(version), relationships became inverses of each other, so "
        + "they have the same links now: \(links.joined(separator: ", ")).")
  }

  /// - Parameters:
  ///   - store: The store as the object of a sentence.
  ///   - copy: A sentence about copies.
  package static func note(
    _ losses: [MigrationLoss], of store: String, before version: String, _ copy: String
  ) {
    for loss in losses {
      WarningLog.write(
        "the migration of the \(store) to version \(version) deleted \(loss). \(copy)"
      )
    }
  }
}
