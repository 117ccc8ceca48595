/// What one save changed, for other contexts of the container: identifiers and slots, no values.
struct SavedChanges: Sendable {
  /// New rows, if they are few.
  private(set) var inserted: [PersistentIdentifier] = []
  /// Entities with new rows that are not listed.
  private(set) var insertedEntities: Set<String> = []
  var updated: [(identifier: PersistentIdentifier, slots: SlotSet)] = []
  var deleted: [PersistentIdentifier] = []
  /// Entities of which any row may be changed or deleted, after a deletion that listed no rows.
  var invalidatedEntities: Set<String> = []
  /// Any row of any entity may be changed or deleted.
  var isEverything = false

  static let everything = SavedChanges(isEverything: true)

  /// The size of the changes, for the limit of the log.
  var size: Int { inserted.count + updated.count + deleted.count + 1 }

  var isEmpty: Bool {
    size == 1 && insertedEntities.isEmpty && invalidatedEntities.isEmpty && !isEverything
  }

  /// Adds entities with new rows whose identifiers are not known yet.
  mutating func insert(rowsOf entities: Set<String>) { insertedEntities.formUnion(entities) }

  /// Up to this many new rows are listed: each follower visits all of them, and the log keeps them.
  private static var fewRows: Int { 256 }

  /// Sets all new rows of a save.
  mutating func setInserted(_ identifiers: [PersistentIdentifier]) {
    let areFew = identifiers.count <= SavedChanges.fewRows
    inserted = areFew ? identifiers : []
    insertedEntities = areFew ? [] : Set(identifiers.lazy.map(\.entityName))
  }

  mutating func append(_ other: SavedChanges) {
    inserted += other.inserted
    insertedEntities.formUnion(other.insertedEntities)
    updated += other.updated
    deleted += other.deleted
    invalidatedEntities.formUnion(other.invalidatedEntities)
    isEverything = isEverything || other.isEverything
  }
}
