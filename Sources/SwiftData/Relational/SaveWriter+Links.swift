import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax

/// Completes the links of a save, after all its rows are written: step 5 of `SaveWriter.write`.
extension SaveWriter {
  /// 1. Delete rules apply to rows that refer to a deleted row now.
  /// 2. One-to-one relationships get an inverse link, and other links to the same row are removed;
  ///    the later save wins.
  /// 3. Every row that a link of the save refers to must exist.
  mutating func completeLinks(
    of request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ saves: [EntitySave]
  ) throws {
    var claims = OneToOneAssignments()
    // New models come after the changed rows that they may be merged with, so their values win.
    for snapshot in request.updated {
      let save = try plan(of: snapshot)
      guard !save.toOnes.isEmpty, let row = snapshot.persistentIdentifier.rowKey else { continue }
      for link in save.toOnes where snapshot.changedSlots.contains(link.slot) {
        let key = destination(of: snapshot.value(link.slot))
        if let key { targets.insert(key, root: link.destinationRoot) }
        if let oneToOne = link.oneToOne {
          claims.add(
            OneToOneAssignment(
              statements: oneToOne, row: RowChanges.Row(root: save.changes.root, key: row),
              slot: link.slot,
              destination: key.map { RowChanges.Row(root: link.destinationRoot, key: $0) },
              isShared: false))
        }
      }
    }
    for (index, save) in saves.enumerated() where !save.toOnes.isEmpty {
      let snapshot = request.inserted[index]
      for link in save.toOnes {
        // A model that was deleted and inserted again keeps the links of its row.
        let value = snapshot.value(link.slot)
        guard let key = destination(of: value) else { continue }
        if !isNew(value) { targets.insert(key, root: link.destinationRoot) }
        if let oneToOne = link.oneToOne {
          let row = RowChanges.Row(root: save.changes.root, key: keys[index])
          claims.add(
            OneToOneAssignment(
              statements: oneToOne, row: row, slot: link.slot,
              destination: RowChanges.Row(root: link.destinationRoot, key: key),
              isShared: !changes.isNew(row)))
        }
      }
    }
    if !deletion.isEmpty, targets.contains(where: { deletion.contains($0, root: $1) }) {
      for (index, save) in saves.enumerated() {
        let row = RowChanges.Row(root: save.changes.root, key: keys[index])
        if changes.isNew(row) {
          deletion.newIdentifiers[row] = request.inserted[index].persistentIdentifier
        }
      }
      try deletion.runAgain(&changes)
    }
    for claim in claims.settled(besides: deletion) { try settle(claim) }
    try requireTargets()
  }

  func destination(of value: SnapshotValue) -> Int64? {
    switch value {
    case .identifier(let identifier): return insertedKeys.key(of: identifier)
    case .integer(let word): return PackedKey(word: word).key
    case .null, .real, .text, .blob, .uuid, .reference: return nil
    }
  }

  private func isNew(_ value: SnapshotValue) -> Bool {
    if case .identifier(let partner) = value { insertedKeys.isNew(partner) } else { false }
  }

  // MARK: One-to-one

  private mutating func settle(_ claim: OneToOneAssignment) throws {
    if claim.isShared || !changes.isNew(claim.row) {
      // No row has the key 0, so 0 stands for none.
      try rewrite(claim.statements.freeRow, claim.row.key, claim.destination?.key ?? 0) {
        $0.displaced.append($1)
      }
    }
    guard let destination = claim.destination, !deletion.contains(destination),
      !changes.isNew(destination)
    else { return }
    try rewrite(claim.statements.freeDestination, claim.row.key, destination.key) {
      $0.displaced.append($1)
    }
    try rewrite(claim.statements.answer, claim.row.key, destination.key) { $0.answered.append($1) }
  }

  /// - Parameter note: Reports each written row to the context.
  mutating func rewrite(
    _ rewriting: ToOneLink.Rewriting, _ row: Int64, _ destination: Int64,
    _ note: (inout SaveConsequences, SaveConsequences.Link) -> Void
  ) throws {
    let found = try prepared(rewriting.sql).integers(.pair(row, destination))
    for index in stride(from: 0, to: found.count, by: 2) {
      let identifier = store.plans.identifier(found[index], entity: Int(found[index + 1]))
      if rewriting.isRequired {
        throw SwiftDataError.modelValidationFailure.with(
          "\(identifier) would lose its model, because the relationship is one-to-one and this save gives "
            + "that model to another one. The relationship is required: give \(identifier) another model "
            + "first, or make it optional. Nothing was saved.",
          entity: rewriting.entity, property: rewriting.property)
      }
      changes.note(rewriting.partner, key: found[index])
      note(&consequences, SaveConsequences.Link(identifier: identifier, slot: rewriting.slot))
    }
  }

  // MARK: Targets

  /// - Throws: `DeletedRows` with the destinations that do not exist any more.
  private mutating func requireTargets() throws {
    var missing: [PersistentIdentifier] = []
    for (root, keys) in targets.keys.sorted(by: { $0.key < $1.key }) {
      guard let entity = store.mapping.entity(number: root) else { continue }
      let stored = keys.filter {
        let row = RowChanges.Row(root: root, key: $0)
        return !changes.isNew(row) && !deletion.contains(row)
      }
      guard let first = stored.first else { continue }
      let table = store.plans.tableChanges(of: entity)
      if stored.count == 1 {
        if try prepared(table.existing).integer(.integer(first)) != nil { continue }
        missing.append(store.plans.identifier(first, entity: root))
      } else {
        let list = store.driver.dialect.list(Array(stored))
        if try prepared(table.existingCount).integer(.list(list)) == Int64(stored.count) {
          continue
        }
        let found = Set(try prepared(table.existingKeys).integers(.list(list)))
        missing += stored.subtracting(found).sorted()
          .map { store.plans.identifier($0, entity: root) }
      }
    }
    if !missing.isEmpty { throw DeletedRows(missing) }
  }

  // MARK: What the context learns

  mutating func noteConsequences(_ saves: [EntitySave]) {
    if deletion.isEmpty { return }
    consequences.hasMissedRows = deletion.hasMissedRows
    for (index, save) in saves.enumerated()
    where deletion.contains(RowChanges.Row(root: save.changes.root, key: keys[index])) {
      consequences.dropped.append(index)
    }
    for row in deletion.cascaded {
      guard let entity = store.mapping.entity(number: row.entity) else { continue }
      let index = RowChanges.Row(root: store.mapping.rootNumber(of: entity), key: row.key)
      if !changes.isNew(index) {
        consequences.deleted.append(store.plans.identifier(row.key, entity: row.entity))
      }
    }
    // Some of them were displaced before they were deleted.
    let deleted = Set(consequences.deleted)
    consequences.displaced.removeAll { deleted.contains($0.identifier) }
    consequences.nullified = deletion.nullified.compactMap { link in
      guard let entity = store.mapping.entity(number: link.entity),
        !deletion.contains(link.key, root: store.mapping.rootNumber(of: entity))
      else { return nil }
      return SaveConsequences.Link(
        identifier: store.plans.identifier(link.key, entity: link.entity), slot: link.slot)
    }
    noteChangedLists()
  }

  /// Reports lists that lost deleted members, wherever their pairs are stored.
  private mutating func noteChangedLists() {
    var toManys: [Int: SlotSet] = [:]
    for (row, slots) in changes.updates where !slots.isEmpty {
      let lists = toManys[row.root] ?? store.mapping.toManySlots(below: row.root)
      toManys[row.root] = lists
      let changed = slots.intersection(lists)
      if changed.isEmpty { continue }
      consequences.changedLists.append((store.plans.identifier(row.key, entity: row.root), changed))
    }
  }
}

extension SchemaMapping {
  /// The to-many relationships of the entities in a table.
  fileprivate func toManySlots(below root: Int) -> SlotSet {
    var slots = SlotSet()
    for number in entity(number: root)?.subtreeNumbers ?? [] {
      for property in entity(number: number)?.properties ?? [] {
        if case .toMany = property.kind { slots.insert(property.slot) }
      }
    }
    return slots
  }
}

/// The destination of a row's one-to-one relationship, as requested by a save.
private struct OneToOneAssignment {
  let statements: ToOneLink.OneToOne
  let row: RowChanges.Row
  let slot: Int
  var destination: RowChanges.Row?
  /// Whether several models were merged into the row, or a stored and a new one.
  var isShared: Bool
}

/// The one-to-one links of a save. If several new models are merged into one row, the last link
/// counts, and the inverse links of the earlier ones do not.
private struct OneToOneAssignments {
  private struct Side: Hashable {
    let row: RowChanges.Row
    let slot: Int
  }

  private var claims: [OneToOneAssignment] = []
  private var indices: [Side: Int] = [:]

  mutating func add(_ claim: OneToOneAssignment) {
    let side = Side(row: claim.row, slot: claim.slot)
    if let index = indices[side] {
      claims[index] = claim
      claims[index].isShared = true
    } else {
      indices[side] = claims.count
      claims.append(claim)
    }
  }

  /// The final links: each row has one destination, and is the destination of one row. Links may
  /// contradict each other if a context has read the two ends at different times. Then the last one
  /// counts, and the row of an earlier one gets no destination.
  func settled(besides deletion: RowDeletion) -> [OneToOneAssignment] {
    var taken: Set<Side> = []
    var settled: [OneToOneAssignment] = []
    for var claim in claims.reversed() where !deletion.contains(claim.row) && !isSuperseded(claim) {
      let end = Side(row: claim.row, slot: claim.slot)
      guard taken.insert(end).inserted else { continue }
      if let row = claim.destination {
        let other = Side(row: row, slot: claim.statements.freeRow.slot)
        if other != end, !taken.insert(other).inserted { claim.destination = nil }
      }
      settled.append(claim)
    }
    return settled.reversed()
  }

  /// Whether the row at the other end was merged from several models, and its final link leads
  /// elsewhere.
  private func isSuperseded(_ claim: OneToOneAssignment) -> Bool {
    guard let destination = claim.destination,
      let index = indices[Side(row: destination, slot: claim.statements.freeRow.slot)]
    else { return false }
    return claims[index].isShared && claims[index].destination != claim.row
  }
}

/// The destinations of a save's links, by the number of their root entity.
struct LinkTargets {
  private(set) var keys: [Int: Set<Int64>] = [:]
  /// Many new rows in sequence have the same destination, so it is not inserted for each.
  private var last: (root: Int, key: Int64) = (0, 0)

  mutating func insert(_ key: Int64, root: Int) {
    if last.root == root, last.key == key { return }
    last = (root, key)
    keys[root, default: []].insert(key)
  }

  func contains(where isFound: (Int64, Int) -> Bool) -> Bool {
    keys.contains { root, keys in keys.contains { isFound($0, root) } }
  }
}
