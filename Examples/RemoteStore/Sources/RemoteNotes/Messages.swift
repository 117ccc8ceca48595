import SwiftData

/// What the two sides send each other, as JSON.
enum Messages {
  /// Part of the identifiers of all rows, on both sides.
  static let storeIdentifier = "remote-notes"

  struct Row: Codable, Sendable {
    var identifier: PersistentIdentifier
    var values: [String: DataStoreValue]
  }

  struct Changes: Codable, Sendable {
    /// New rows, with temporary identifiers.
    var inserted: [Row]
    /// The changed values of stored rows.
    var updated: [Row]
    var deleted: [PersistentIdentifier]
  }

  /// The permanent identifiers of the new rows, in their order, or the rows that are missing.
  struct Receipt: Codable, Sendable {
    var inserted: [PersistentIdentifier] = []
    var missing: [PersistentIdentifier] = []
  }
}
