import Foundation

/// What a migration must know of the configuration of a store, whatever its database is.
package struct MigrationSubject: Sendable {
  /// The store as the object of a sentence: `store at /trips.store`.
  package let name: String
  package var allowsSave = true
  /// Whether a store of an older version is migrated, and not refused.
  package var allowsMigration = true
  /// Whether the effects on rows are recorded in the history.
  package var keepsHistory = true
  /// Whether entities that continue keep their numbers, so that their rows need not be written.
  package var keepsNumbers = false

  /// Whether the store has a table with this name for itself.
  package var isOwnTable: @Sendable (String) -> Bool = {
    ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"].contains($0)
  }

  /// The file of the store; `nil` for a database.
  let file: URL?

  var isFile: Bool { file != nil }

  package init(name: String) {
    self.name = name
    file = nil
  }

  init(_ configuration: ModelConfiguration) {
    name = "store at \(configuration.url.path)"
    file = configuration.url
    allowsSave = configuration.allowsSave
    allowsMigration = configuration.allowsMigration
    keepsHistory = configuration.keepsHistory
  }
}
