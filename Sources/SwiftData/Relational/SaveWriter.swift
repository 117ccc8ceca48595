import Foundation

/// Writes one save, inside its transaction.
///
/// 1. If there are deletions, changed links of stored rows are written, and rows are deleted with
///    the delete rules (`RowDeletion`). Changed rows release the unique values that they change, so
///    that other models can get these values.
/// 2. Every new model gets its key: the next free one, or that of the row with the same unique
///    values (an upsert). Models with unique values are written in this step, because the next one
///    may have the same values. Links to models without a key are added at the end of the step.
/// 3. Changed rows are updated, only in the changed columns, and the other new rows are written. If
///    a changed row does not exist any more, the save throws `DeletedRows`.
/// 4. The pairs of to-many relationships are written.
/// 5. Links are completed (`SaveWriter+Links`): delete rules apply to rows that refer to a deleted
///    row now, one-to-one relationships get an inverse link, and every destination must exist.
/// 6. Members are counted in relationships with a limit. Then the last assigned keys, and the
///    versions and history of all changed rows are stored (`RowChanges`).
///
/// All decisions use the rows that the transaction sees, never the objects in the context's memory.
/// Runs of rows with one shape share a prepared statement.
struct SaveWriter {
  let store: RelationalStore
  let session: any SQLSession
  /// The keys of the inserted models, in the order of the request.
  var keys: [Int64] = []
  /// The same keys by temporary identifier, if relationships can refer to the models.
  let insertedKeys: InsertedKeys
  var plans: [ObjectIdentifier: EntitySave] = [:]
  var nextKeys: [String: Int64] = [:]
  var statements: [(sql: String, statement: any PreparedSQL)] = []
  /// Changed models whose rows do not exist any more.
  var deletedRows: [PersistentIdentifier] = []
  /// The rows that the save deletes.
  var deletion: RowDeletion
  /// The destinations of the save's links.
  var targets = LinkTargets()
  /// The effects of the save beyond the request.
  var consequences = SaveConsequences()
  let options: SaveOptions
  var changes: RowChanges
  /// To-one relationships of stored rows that may have a new destination.
  var movedLinks: [MovedLink] = []
  /// Whether the last model with unique values was merged with its row; the next one probably is
  /// too.
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
    let (request, doomed) = try removingUniqueValuesOfDeletedInserts(request)
    let moving = try rowsReleasingUniqueValues(request)
    for snapshot in moving { try clearOldUniqueValues(snapshot) }
    let saves = try request.inserted.map { try plan(of: $0) }
    keys = Array(repeating: 0, count: saves.count)
    func positions(_ kind: EntitySave.KeySource) -> [Int] {
      saves.indices.filter { (doomed.contains($0) ? .nextFree : saves[$0].keySource) == kind }
    }
    for position in positions(.nextFree) {
      assign(
        try nextKey(saves[position]), to: request.inserted[position], position, saves[position])
    }
    // A changed row is written before the new models that may be merged with it: their values win.
    let early = try request.updated.map { try isConstrained($0) && !refersToUnassignedKey($0) }
    for (snapshot, isEarly) in zip(request.updated, early) where isEarly { try update(snapshot) }
    for snapshot in moving where refersToUnassignedKey(snapshot) {
      try writeNewUniqueValues(snapshot)
    }
    for position in positions(.writing) {
      let key = try upsert(request.inserted[position], saves[position])
      assign(key, to: request.inserted[position], position, saves[position])
    }
    try writeAfterLookUp(positions(.lookingUp), request.inserted, saves)
    for (snapshot, isEarly) in zip(request.updated, early) where !isEarly { try update(snapshot) }
    if !deletedRows.isEmpty { throw DeletedRows(deletedRows) }
    try insert(positions(.nextFree), request.inserted, saves)
    if store.plans.hasRelationships {
      try writeToMany(request.inserted + request.updated)
      try writeToMany(request.deleted.filter { $0.toManys.contains { !$0.added.isEmpty } })
      try completeLinks(of: request, saves)
    }
    noteMovedLinks()
    noteLinks(ofNew: request.inserted, saves)
    try store.checkCounts(of: changes, session)
    try storeLastKeys()
    noteConsequences(saves)
    return zip(saves, keys).map { save, key in
      PersistentIdentifier(
        scope: store.plans.scope(number: save.statements.entity.number), key: key)
    }
  }

  /// Writes models whose row must be looked up. Models whose unique values refer to other new
  /// models come after those.
  mutating func writeAfterLookUp(
    _ positions: [Int], _ snapshots: [DefaultSnapshot], _ saves: [EntitySave]
  ) throws {
    var incomplete: [Int] = []
    var waiting = positions
    while !waiting.isEmpty {
      var ready = waiting.filter { position in
        saves[position].statements.lookups.allSatisfy { lookup in
          lookup.columns.allSatisfy { !refersToUnassignedKey(snapshots[position], $0) }
        }
      }
      if ready.isEmpty { ready = waiting }
      for position in ready {
        let (snapshot, save) = (snapshots[position], saves[position])
        if refersToUnassignedKey(snapshot) { incomplete.append(position) }
        if let existing = try existingRow(like: snapshot, save) {
          if options.refusesUpserts { throw try refusedUpsert(snapshot, save) }
          assign(existing, to: snapshot, position, save)
          try noteLinks(of: snapshot, save, snapshot.upsertSlots, key: existing)
          _ = try runUpdate(snapshot, save, snapshot.upsertSlots, key: existing)
        } else {
          assign(try nextKey(save), to: snapshot, position, save)
          try insert(snapshot, save, key: keys[position])
        }
      }
      let written = Set(ready)
      waiting.removeAll(where: written.contains)
    }
    for position in incomplete {
      let snapshot = snapshots[position]
      _ = try runUpdate(snapshot, saves[position], snapshot.setReferences, key: keys[position])
    }
  }

  func refersToUnassignedKey(_ snapshot: DefaultSnapshot) -> Bool {
    plans[ObjectIdentifier(snapshot.descriptor)]?.statements.columns
      .contains { refersToUnassignedKey(snapshot, $0) } ?? false
  }

  /// Whether a column refers to a new model that has no key yet.
  func refersToUnassignedKey(_ snapshot: DefaultSnapshot, _ column: SaveStatements.Column) -> Bool {
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
    // A save has few shapes, and equal texts share their storage: a linear search is faster than
    // hashing.
    if let known = statements.last(where: { $0.sql == sql }) { return known.statement }
    let statement = try session.statement(sql)
    statements.append((sql, statement))
    return statement
  }
}

extension DefaultSnapshot {
  /// The slots that an upsert writes: all attributes, and the to-one relationships that were set.
  var upsertSlots: SlotSet {
    var slots = setReferences
    for (slot, property) in descriptor.properties.enumerated() where property.destination == nil {
      slots.insert(slot)
    }
    return slots
  }

  /// The to-one relationships that are not nil.
  var setReferences: SlotSet {
    var slots = SlotSet()
    for (slot, property) in descriptor.properties.enumerated() where property.isToOne {
      if case .identifier? = changedValue(slot) { slots.insert(slot) }
    }
    return slots
  }
}
