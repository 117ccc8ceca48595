/// What one save changed, for the other contexts of the container: identifiers and slots, no values.
struct SavedChanges: Sendable {
  /// Entities that have new rows.
  var insertedEntities: Set<String> = []
  var updated: [(identifier: PersistentIdentifier, slots: SlotSet)] = []
  var deleted: [PersistentIdentifier] = []
  /// Entities of which any row may be changed or deleted, after a deletion that named no rows.
  var invalidatedEntities: Set<String> = []
  /// Any row of any entity may be changed or deleted.
  var isEverything = false

  static let everything = SavedChanges(isEverything: true)

  /// What the changes count against the limit of the log.
  var size: Int { updated.count + deleted.count + 1 }

  var isEmpty: Bool {
    size == 1 && insertedEntities.isEmpty && invalidatedEntities.isEmpty && !isEverything
  }

  mutating func append(_ other: SavedChanges) {
    insertedEntities.formUnion(other.insertedEntities)
    updated += other.updated
    deleted += other.deleted
    invalidatedEntities.formUnion(other.invalidatedEntities)
    isEverything = isEverything || other.isEverything
  }
}
