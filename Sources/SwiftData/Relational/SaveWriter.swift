import Foundation

/// Writes one save, inside its transaction.
///
/// 1. Beside deletions the links that stored rows change are written, and rows are deleted by the delete rules (`RowDeletion`);
///    changed rows give up the unique values they change. So others may take these values.
/// 2. Every new model gets its key: the next free one, or that of the row with the same unique values
///    (an upsert). Models with unique values are written in this step, because the next one may have
///    the same; what they cannot name yet is added in the end of it.
/// 3. Changed rows are updated, only in the columns that changed, and the other new rows are written.
///    Where a changed row is gone, the save ends with `DeletedRows`.
/// 4. The pairs of to-many relationships follow.
/// 5. Links are settled (`SaveWriter+Links`): delete rules apply to what leads to a deleted row now,
///    one-to-one relationships get two ends, and every row that a link names has to be there.
/// 6. Members are counted where their number matters, then the last used keys are stored, and the versions
///    and the history of all rows that changed (`RowChanges`).
///
/// All of it is decided by the rows that the transaction sees, never by what the context has in memory.
/// Runs of one shape share one prepared statement.
struct SaveWriter {
  let store: RelationalStore
  let session: any SQLSession
  /// The keys of the inserted models, in the order of the request.
  var keys: [Int64] = []
  /// The same by temporary identifier, where relationships can name them.
  let insertedKeys: InsertedKeys
  var plans: [ObjectIdentifier: EntitySave] = [:]
  var nextKeys: [String: Int64] = [:]
  var statements: [(sql: String, statement: any PreparedSQL)] = []
  /// Changed models whose rows are gone.
  var deletedRows: [PersistentIdentifier] = []
  /// The rows that the save deletes.
  var deletion: RowDeletion
  /// The rows that links of the save lead to.
  var targets = LinkTargets()
  /// What the save does besides the request.
  var consequences = SaveConsequences()
  let options: SaveOptions
  /// Which rows the save changes.
  var changes: RowChanges
  /// To-one relationships of stored rows that may lead elsewhere now.
  var movedLinks: [MovedLink] = []
  /// Whether the last model with unique values met its row; then the next one probably does too.
  var expectsUpsert = false

  init(
    store: RelationalStore, session: any SQLSession, by editor: EditingState,
    _ options: SaveOptions
  ) {
    self.store = store
    self.options = options
    deletion = RowDeletion(store: store, session: session, else: "Nothing was saved.")
    self.session = session
    changes = RowChanges(store, session, by: editor)
    insertedKeys = InsertedKeys(mapping: store.mapping)
  }

  mutating func write(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> [PersistentIdentifier] {
    for snapshot in request.updated { try noteLinks(of: snapshot) }
    if !request.deleted.isEmpty { try delete(request) }
    let (request, doomed) = try sparingUniqueValues(request)
    let moving = try movingUniqueValues(request)
    for snapshot in moving { try giveUpUniqueValues(snapshot) }
    let saves = try request.inserted.map { try plan(of: $0) }
    keys = Array(repeating: 0, count: saves.count)
    func places(_ kind: EntitySave.KeySource) -> [Int] {
      saves.indices.filter { (doomed.contains($0) ? .nextFree : saves[$0].keySource) == kind }
    }
    for place in places(.nextFree) {
      assign(try nextKey(saves[place]), to: request.inserted[place], place, saves[place])
    }
    // A changed row comes before the new models that may meet it: their values win.
    let early = try request.updated.map { try isConstrained($0) && !namesUnknown($0) }
    for (snapshot, isEarly) in zip(request.updated, early) where isEarly { try update(snapshot) }
    for snapshot in moving where namesUnknown(snapshot) { try takeUniqueValues(snapshot) }
    for place in places(.writing) {
      let key = try upsert(request.inserted[place], saves[place])
      assign(key, to: request.inserted[place], place, saves[place])
    }
    try writeAfterLookUp(places(.lookingUp), request.inserted, saves)
    for (snapshot, isEarly) in zip(request.updated, early) where !isEarly { try update(snapshot) }
    if !deletedRows.isEmpty { throw DeletedRows(deletedRows) }
    try insert(places(.nextFree), request.inserted, saves)
    if store.plans.hasRelationships {
      try writeToMany(request.inserted + request.updated)
      try writeToMany(request.deleted.filter { $0.toManys.contains { !$0.added.isEmpty } })
      try settleLinks(of: request, saves)
    }
    noteMovedLinks()
    noteLinks(ofNew: request.inserted, saves)
    try store.judgeCounts(of: changes, session)
    try storeLastKeys()
    noteConsequences(saves)
    return zip(saves, keys).map { save, key in
      PersistentIdentifier(
        scope: store.plans.scope(number: save.statements.entity.number), key: key)
    }
  }

  /// Writes models whose row has to be looked up. Those whose unique values name other new models
  /// come after the ones they name.
  mutating func writeAfterLookUp(
    _ places: [Int], _ snapshots: [DefaultSnapshot], _ saves: [EntitySave]
  ) throws {
    var incomplete: [Int] = []
    var waiting = places
    while !waiting.isEmpty {
      var ready = waiting.filter { place in
        saves[place].statements.lookups.allSatisfy { lookup in
          lookup.columns.allSatisfy { !namesUnknown(snapshots[place], $0) }
        }
      }
      if ready.isEmpty { ready = waiting }
      for place in ready {
        let (snapshot, save) = (snapshots[place], saves[place])
        if namesUnknown(snapshot) { incomplete.append(place) }
        if let existing = try existingRow(like: snapshot, save) {
          if options.refusesUpserts { throw try refusedUpsert(snapshot, save) }
          assign(existing, to: snapshot, place, save)
          try noteLinks(of: snapshot, save, snapshot.upsertSlots, key: existing)
          _ = try runUpdate(snapshot, save, snapshot.upsertSlots, key: existing)
        } else {
          assign(try nextKey(save), to: snapshot, place, save)
          try insert(snapshot, save, key: keys[place])
        }
      }
      let written = Set(ready)
      waiting.removeAll(where: written.contains)
    }
    for place in incomplete {
      let snapshot = snapshots[place]
      _ = try runUpdate(snapshot, saves[place], snapshot.setReferences, key: keys[place])
    }
  }

  func namesUnknown(_ snapshot: DefaultSnapshot) -> Bool {
    plans[ObjectIdentifier(snapshot.descriptor)]?.statements.columns
      .contains { namesUnknown(snapshot, $0) } ?? false
  }

  /// Whether a column names a new model that has no key yet.
  func namesUnknown(_ snapshot: DefaultSnapshot, _ column: SaveStatements.Column) -> Bool {
    guard column.content == .key, case .identifier(let identifier) = snapshot.value(column.cell),
      identifier.resolved.isTemporary
    else { return false }
    return !insertedKeys.isNew(identifier)
  }

  mutating func plan(of snapshot: DefaultSnapshot) throws -> EntitySave {
    let descriptor = ObjectIdentifier(snapshot.descriptor)
    if let plan = plans[descriptor] { return plan }
    let plan = store.plans.save(of: try store.entity(snapshot.descriptor))
    plans[descriptor] = plan
    return plan
  }

  mutating func prepared(_ sql: String) throws -> any PreparedSQL {
    // A save has few shapes, and equal texts share their storage: a scan beats hashing the text.
    if let known = statements.last(where: { $0.sql == sql }) { return known.statement }
    let statement = try session.statement(sql)
    statements.append((sql, statement))
    return statement
  }
}

extension DefaultSnapshot {
  /// What an upsert writes: all attributes, and the to-one relationships that were set.
  var upsertSlots: SlotSet {
    var slots = setReferences
    for (slot, property) in descriptor.properties.enumerated() where property.destination == nil {
      slots.insert(slot)
    }
    return slots
  }

  /// The to-one relationships that have a model.
  var setReferences: SlotSet {
    var slots = SlotSet()
    for (slot, property) in descriptor.properties.enumerated() where property.isToOne {
      if case .identifier? = changedValue(slot) { slots.insert(slot) }
    }
    return slots
  }
}
