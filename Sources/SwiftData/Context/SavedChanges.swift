/// What one save changed, for the other contexts of the container: identifiers and slots, no values.
struct SavedChanges: Sendable {
  /// New rows, for observers; contexts learn of them by the lists that they are in. Only commits of other
  /// containers and processes name them.
  var inserted: [PersistentIdentifier] = []
  var updated: [(identifier: PersistentIdentifier, slots: SlotSet)] = []
  var deleted: [PersistentIdentifier] = []
  /// Entities of which any row may be changed or deleted, after a deletion that named no rows.
  var invalidatedEntities: Set<String> = []
  /// Any row of any entity may be changed or deleted.
  var isEverything = false

  static let everything = SavedChanges(isEverything: true)

  /// What the changes count against the limit of the log.
  var size: Int { inserted.count + updated.count + deleted.count + 1 }

  var isEmpty: Bool { size == 1 && invalidatedEntities.isEmpty && !isEverything }

  mutating func append(_ other: SavedChanges) {
    inserted += other.inserted
    updated += other.updated
    deleted += other.deleted
    invalidatedEntities.formUnion(other.invalidatedEntities)
    isEverything = isEverything || other.isEverything
  }
}
