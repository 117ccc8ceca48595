/// What one save changed, for other contexts of the container: identifiers and slots, no values.
struct SavedChanges: Sendable {
  /// New rows, if they are few.
  private(set) var inserted: [PersistentIdentifier] = []
  /// Entities with new rows that are not listed.
  private(set) var insertedEntities: Set<String> = []
  var updated: [(identifier: PersistentIdentifier, slots: SlotSet)] = []
  var deleted: [PersistentIdentifier] = []
  /// Lists that lost members, if they are few. Their owners were not written, so their rows need not be read.
  private(set) var changedLists: [(identifier: PersistentIdentifier, slots: SlotSet)] = []
  /// The lists of entities of which any row may have lost members that are not listed.
  private(set) var changedListsOfEntities: [String: SlotSet] = [:]
  /// Entities of which any row may be changed or deleted, after a deletion that listed no rows.
  var invalidatedEntities: Set<String> = []
  /// Any row of any entity may be changed or deleted.
  var isEverything = false

  static let everything = SavedChanges(isEverything: true)

  /// The size of the changes, for the limit of the log.
  var size: Int { inserted.count + updated.count + deleted.count + changedLists.count + 1 }

  var isEmpty: Bool {
    size == 1 && insertedEntities.isEmpty && invalidatedEntities.isEmpty && !isEverything
      && changedListsOfEntities.isEmpty
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

  /// Adds lists that lost members.
  mutating func insert(listsOf changes: [SaveConsequences.ChangedLists]) {
    if changes.count <= SavedChanges.fewRows {
      changedLists += changes.lazy.map { ($0.identifier, $0.slots) }
      return
    }
    for change in changes {
      let entity = change.identifier.entityName
      changedListsOfEntities[entity, default: SlotSet()].formUnion(change.slots)
    }
  }

  /// Adds a changed model.
  /// - Parameter slots: The changed slots; nil if they are not known.
  mutating func insert(_ storage: _ModelStorage, _ slots: SlotSet?) {
    if let slots, let identifier = storage.knownIdentifier {
      updated.append((identifier, slots))
    } else {
      invalidatedEntities.insert(storage.descriptor.entityName)
    }
  }

  mutating func append(_ other: SavedChanges) {
    inserted += other.inserted
    insertedEntities.formUnion(other.insertedEntities)
    updated += other.updated
    deleted += other.deleted
    changedLists += other.changedLists
    for (entity, slots) in other.changedListsOfEntities {
      changedListsOfEntities[entity, default: SlotSet()].formUnion(slots)
    }
    invalidatedEntities.formUnion(other.invalidatedEntities)
    isEverything = isEverything || other.isEverything
  }
}

extension SavedChanges {
  /// What a save changes, for the other contexts of the container.
  init(_ batches: [SaveSession.Batch]) {
    self.init()
    for batch in batches {
      insert(rowsOf: Set(batch.insertedStorages.descriptors.map(\.entityName)))
      updated += batch.updatedStorages.map { ($0.identifier, $0.changedSlots) }
      deleted += batch.deletedStorages.map(\.identifier)
      let consequences = batch.receipt.consequences
      deleted += consequences.deleted
      updated += consequences.links.map { ($0.identifier, SlotSet($0.slot)) }
      insert(listsOf: consequences.changedLists)
      insert(listsOf: consequences.left)
    }
  }
}

extension SaveConsequences {
  /// The relationships that were written in addition to the request.
  var links: [Link] { nullified + displaced + answered + taken.map(\.link) }
}
