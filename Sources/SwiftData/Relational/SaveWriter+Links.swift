import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax

/// The links of a save, once all its rows are written: step 5 of `SaveWriter.write`.
extension SaveWriter {
  /// 1. Delete rules apply to rows that lead to a deleted one now.
  /// 2. One-to-one relationships lead back, and to nobody else; the later save wins.
  /// 3. Every row that a link of the save names has to be there.
  mutating func settleLinks(
    of request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ saves: [EntitySave]
  ) throws {
    var claims = OneToOneClaims()
    // New models come after the changed rows that they may become: what they say counts.
    for snapshot in request.updated {
      let save = try plan(of: snapshot)
      guard !save.toOnes.isEmpty, let row = snapshot.persistentIdentifier.rowKey else { continue }
      for link in save.toOnes where snapshot.changedSlots.contains(link.slot) {
        let key = destination(of: snapshot.value(link.slot))
        if let key { targets.insert(key, root: link.destinationRoot) }
        if let oneToOne = link.oneToOne {
          claims.add(
            OneToOneClaim(
              statements: oneToOne, row: RowChanges.Row(root: save.changes.root, key: row),
              slot: link.slot,
              destination: key.map { RowChanges.Row(root: link.destinationRoot, key: $0) },
              isShared: false))
        }
      }
    }
    for (place, save) in saves.enumerated() where !save.toOnes.isEmpty {
      let snapshot = request.inserted[place]
      for link in save.toOnes {
        // One that was deleted and inserted again leads to what its row led to.
        let value = snapshot.value(link.slot)
        guard let key = destination(of: value) else { continue }
        if !isNew(value) { targets.insert(key, root: link.destinationRoot) }
        if let oneToOne = link.oneToOne {
          let row = RowChanges.Row(root: save.changes.root, key: keys[place])
          claims.add(
            OneToOneClaim(
              statements: oneToOne, row: row, slot: link.slot,
              destination: RowChanges.Row(root: link.destinationRoot, key: key),
              isShared: !changes.isNew(row)))
        }
      }
    }
    if !deletion.isEmpty, targets.contains(where: { deletion.contains($0, root: $1) }) {
      for (place, save) in saves.enumerated() {
        let row = RowChanges.Row(root: save.changes.root, key: keys[place])
        if changes.isNew(row) {
          deletion.newIdentifiers[row] = request.inserted[place].persistentIdentifier
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

  private mutating func settle(_ claim: OneToOneClaim) throws {
    if claim.isShared || !changes.isNew(claim.row) {
      // A row is never numbered 0, so that stands for none.
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

  /// - Parameter note: What the context learns of each row that was written.
  mutating func rewrite(
    _ rewriting: ToOneLink.Rewriting, _ row: Int64, _ destination: Int64,
    _ note: (inout SaveConsequences, SaveConsequences.Link) -> Void
  ) throws {
    let found = try prepared(rewriting.sql).integers(.pair(row, destination))
    for place in stride(from: 0, to: found.count, by: 2) {
      let identifier = store.plans.identifier(found[place], entity: Int(found[place + 1]))
      if rewriting.isRequired {
        throw SwiftDataError.modelValidationFailure.with(
          "\(identifier) would lose its model, because the relationship is one-to-one and this save gives "
            + "that model to another one. The relationship is required: give \(identifier) another model "
            + "first, or make it optional. Nothing was saved.",
          entity: rewriting.entity, property: rewriting.property)
      }
      changes.note(rewriting.partner, key: found[place])
      note(&consequences, SaveConsequences.Link(identifier: identifier, slot: rewriting.slot))
    }
  }

  // MARK: Targets

  /// - Throws: `DeletedRows` with the rows that links name and that are gone.
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
    for (place, save) in saves.enumerated()
    where deletion.contains(RowChanges.Row(root: save.changes.root, key: keys[place])) {
      consequences.dropped.append(place)
    }
    for row in deletion.cascaded {
      guard let entity = store.mapping.entity(number: row.entity) else { continue }
      let place = RowChanges.Row(root: store.mapping.rootNumber(of: entity), key: row.key)
      if !changes.isNew(place) {
        consequences.deleted.append(store.plans.identifier(row.key, entity: row.entity))
      }
    }
    // Some of them were displaced before they were deleted.
    let deleted = Set(consequences.deleted)
    consequences.displaced.removeAll { deleted.contains($0.identifier) }
    consequences.emptied = deletion.emptied.compactMap { link in
      guard let entity = store.mapping.entity(number: link.entity),
        !deletion.contains(link.key, root: store.mapping.rootNumber(of: entity))
      else { return nil }
      return SaveConsequences.Link(
        identifier: store.plans.identifier(link.key, entity: link.entity), slot: link.slot)
    }
    noteChangedLists()
  }

  /// Lists that lost deleted members, wherever the pairs are stored.
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

/// What a row's one-to-one relationship leads to, as a save says.
private struct OneToOneClaim {
  let statements: ToOneLink.OneToOne
  let row: RowChanges.Row
  let slot: Int
  var destination: RowChanges.Row?
  /// Whether several models are the row, or one that was stored before and a new one.
  var isShared: Bool
}

/// The claims of a save. Several new models may become one row: the last one that says something counts, and
/// what the models at the other ends of the earlier ones say does not.
private struct OneToOneClaims {
  private struct Side: Hashable {
    let row: RowChanges.Row
    let slot: Int
  }

  private var claims: [OneToOneClaim] = []
  private var places: [Side: Int] = [:]

  mutating func add(_ claim: OneToOneClaim) {
    let side = Side(row: claim.row, slot: claim.slot)
    if let place = places[side] {
      claims[place] = claim
      claims[place].isShared = true
    } else {
      places[side] = claims.count
      claims.append(claim)
    }
  }

  /// What the rows lead to in the end, each to one row and each row from one. Where claims contradict each
  /// other, as they may when a context has read the two ends at different times, the last one counts; the
  /// row of an earlier one leads nowhere.
  func settled(besides deletion: RowDeletion) -> [OneToOneClaim] {
    var taken: Set<Side> = []
    var settled: [OneToOneClaim] = []
    for var claim in claims.reversed() where !deletion.contains(claim.row) && !isOverruled(claim) {
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

  /// Whether the row at the other end is several models, and the one that counts leads elsewhere.
  private func isOverruled(_ claim: OneToOneClaim) -> Bool {
    guard let destination = claim.destination,
      let place = places[Side(row: destination, slot: claim.statements.freeRow.slot)]
    else { return false }
    return claims[place].isShared && claims[place].destination != claim.row
  }
}

/// The rows that the links of a save lead to, by the number of their root entity.
struct LinkTargets {
  private(set) var keys: [Int: Set<Int64>] = [:]
  /// Many new rows in a run lead to one: it is not looked up for each.
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
