import OpenSwiftDataSQLSyntax

/// Follows the to-one links of a save and completes them, after all its rows are written. Used by
/// the steps of `SaveWriter`.
///
/// 1. Before links are written, their stored destinations are noted.
/// 2. `complete` applies delete rules to rows that refer to a deleted row now, gives one-to-one
///    relationships an inverse link, and requires every destination to exist.
/// 3. At the end the rows at the other ends of changed links are noted in `RowChanges`.
final class LinkWriter {
  private let store: RelationalStore
  private let prepared: PreparedSave
  private let keys: KeyAssigner
  private let changes: RowChanges
  private let deletion: RowDeletion
  /// To-one relationships of stored rows that may have a new destination.
  private var moved: [MovedLink] = []
  /// The destinations of the save's links.
  private var targets = LinkTargets()
  /// To-one relationships that lost their model to another one.
  private(set) var displaced: [SaveConsequences.Link] = []
  /// Inverse to-one relationships that were set to a model of this save.
  private(set) var answered: [SaveConsequences.Link] = []
  /// Lists without an inverse that lost a member to another owner.
  private(set) var taken: [SaveConsequences.Taking] = []
  /// Up to this many destinations in a table are noted as existing, and in an optimistic save required one by
  /// one, with its commit.
  private static let fewTargets = 8

  init(
    store: RelationalStore, _ prepared: PreparedSave, _ keys: KeyAssigner, _ changes: RowChanges,
    _ deletion: RowDeletion
  ) {
    self.store = store
    self.prepared = prepared
    self.keys = keys
    self.changes = changes
    self.deletion = deletion
  }

  // MARK: Rows at the other end

  /// A stored row, and the slots of it that are written.
  struct StoredRow {
    let snapshot: DefaultSnapshot
    let save: EntitySave
    let slots: SlotSet
    let key: Int64
  }

  /// Records the old destinations of stored rows' to-one relationships, before they are written.
  func noteStored(_ snapshots: [DefaultSnapshot]) throws {
    guard store.driver.capabilities.isRemote, snapshots.count > 1 else {
      for snapshot in snapshots { try noteStored(snapshot) }
      return
    }
    try noteStored(
      snapshots.compactMap { snapshot in
        try snapshot.persistentIdentifier.rowKey.map { key in
          StoredRow(
            snapshot: snapshot, save: try prepared.save(of: snapshot),
            slots: snapshot.changedSlots, key: key)
        }
      })
  }

  /// A database that is asked over a network is asked once for all rows.
  func noteStored(_ rows: [StoredRow]) throws {
    guard store.driver.capabilities.isRemote, rows.count > 1 else {
      for row in rows { try noteStored(row.snapshot, row.save, row.slots, key: row.key) }
      return
    }
    var queries: [String: [(row: StoredRow, link: EntityChanges.Link)]] = [:]
    for row in rows {
      for link in row.save.changes.links where row.slots.contains(link.slot) {
        queries[link.storedInRows, default: []].append((row, link))
      }
    }
    let batch = StatementBatch(prepared.session)
    for (sql, links) in queries.sorted(by: { $0.key < $1.key }) {
      let list = store.driver.dialect.list(links.map(\.row.key))
      batch.read(sql, .list(list)) { found in
        var stored: [Int64: Int64] = [:]
        for index in stride(from: 0, to: found.count, by: 2) where found[index + 1] != 0 {
          stored[found[index]] = found[index + 1]
        }
        for (row, link) in links {
          self.moved.append(
            MovedLink(
              row: RowChanges.Row(root: row.save.changes.root, key: row.key),
              partner: link.partner, old: stored[row.key], new: row.snapshot.value(link.slot)))
        }
      }
    }
    try batch.run()
  }

  /// Records the old destinations of a stored row's to-one relationships, before it is written.
  func noteStored(_ snapshot: DefaultSnapshot) throws {
    guard let key = snapshot.persistentIdentifier.rowKey else { return }
    try noteStored(snapshot, prepared.save(of: snapshot), snapshot.changedSlots, key: key)
  }

  func noteStored(
    _ snapshot: DefaultSnapshot, _ save: EntitySave, _ slots: SlotSet, key: Int64
  ) throws {
    for link in save.changes.links where slots.contains(link.slot) {
      let old = try prepared.statement(link.stored).integer(.integer(key))
      moved.append(
        MovedLink(
          row: RowChanges.Row(root: save.changes.root, key: key), partner: link.partner, old: old,
          new: snapshot.value(link.slot)))
    }
  }

  /// Called when all new models have keys: notes related rows whose relationship has changed.
  func noteMoved() {
    for link in moved {
      let new = keys.inserted.key(of: link.new)
      let isDeleted = deletion.contains(link.row)
      if new == link.old, !isDeleted { continue }
      if let new, !isDeleted { changes.note(link.partner, key: new) }
      // An old related row without an inverse does not change.
      if let old = link.old, link.partner.slot != nil { changes.note(link.partner, key: old) }
    }
  }

  /// The slots of stored rows' lists that lost a member to another owner.
  var listsThatLostMembers: [RowChanges.Row: SlotSet] {
    var lists: [RowChanges.Row: SlotSet] = [:]
    for link in moved {
      guard let slot = link.partner.slot, let old = link.old,
        keys.inserted.key(of: link.new) != old
      else { continue }
      lists[RowChanges.Row(root: link.partner.root, key: old), default: SlotSet()].insert(slot)
    }
    return lists
  }

  /// Notes the related rows of new rows.
  func note(ofNew rows: InsertionRuns) {
    for run in rows.runs where !run.save.changes.links.isEmpty {
      for index in run.indices {
        guard changes.isNew(RowChanges.Row(root: run.save.changes.root, key: keys[index])) else {
          continue
        }
        let cells = rows.models.cells(at: index)
        for link in run.save.changes.links {
          guard let key = keys.inserted.key(of: cells.value(link.slot)) else { continue }
          changes.note(link.partner, key: key)
        }
      }
    }
  }

  // MARK: Completion

  /// 1. Delete rules apply to new rows that they delete, and to rows that refer to a deleted row now.
  /// 2. One-to-one relationships get an inverse link, and other links to the same row are removed;
  ///    the later save wins.
  /// 3. Every row that a link of the save refers to must exist.
  /// - Parameter doomed: The new rows that delete rules delete.
  func complete(
    _ updated: [DefaultSnapshot], _ new: InsertionRuns, doomed: [RowDeletion.Rows]
  ) throws {
    forgetRewritten(updated, new)
    var assignments = OneToOneAssignments()
    // New models come after the changed rows that they may be merged with, so their values win.
    for snapshot in updated { try add(changed: snapshot, to: &assignments) }
    for run in new.runs where !run.save.toOnes.isEmpty {
      for index in run.indices {
        add(new: new.models.cells(at: index), key: keys[index], run.save, to: &assignments)
      }
    }
    if !doomed.isEmpty
      || !deletion.isEmpty && targets.contains(where: deletion.contains)
    {
      for run in new.runs {
        for index in run.indices {
          let row = RowChanges.Row(root: run.save.changes.root, key: keys[index])
          if changes.isNew(row) {
            deletion.newIdentifiers[row] = new.models[index].persistentIdentifier
          }
        }
      }
      try deletion.runAgain(doomed)
    }
    let settled = try unsettled(assignments.settled(besides: deletion))
    for assignment in settled { try settle(assignment) }
    try requireTargets()
  }

  /// Beside deletions, links are written one after the other before the rows are. Then two models that swap their
  /// partners displace each other, until the rows are written.
  private func forgetRewritten(_ updated: [DefaultSnapshot], _ new: InsertionRuns) {
    if displaced.isEmpty { return }
    var written: [PersistentIdentifier: SlotSet] = [:]
    for snapshot in updated {
      written[snapshot.persistentIdentifier, default: SlotSet()].formUnion(snapshot.changedSlots)
    }
    let merged = rewritten(by: new)
    displaced.removeAll {
      written[$0.identifier]?.contains($0.slot) == true || merged.contains($0)
    }
  }

  /// The to-one relationships of stored rows that new models merged with them have set. Rules may have emptied
  /// them before.
  func rewritten(by new: InsertionRuns) -> Set<SaveConsequences.Link> {
    var links: Set<SaveConsequences.Link> = []
    for run in new.runs where run.save.isConstrained {
      for index in run.indices
      where !changes.isNew(RowChanges.Row(root: run.save.changes.root, key: keys[index])) {
        let cells = new.models.cells(at: index)
        let identifier = store.plans.identifier(
          keys[index], entity: run.save.statements.entity.number)
        for link in run.save.toOnes {
          guard let destination = keys.inserted.key(of: cells.value(link.slot)),
            !deletion.contains(destination, root: link.destinationRoot)
          else { continue }
          links.insert(SaveConsequences.Link(identifier: identifier, slot: link.slot))
        }
      }
    }
    return links
  }

  private func add(
    changed snapshot: DefaultSnapshot, to assignments: inout OneToOneAssignments
  ) throws {
    let save = try prepared.save(of: snapshot)
    guard !save.toOnes.isEmpty, let row = snapshot.persistentIdentifier.rowKey else { return }
    for link in save.toOnes where snapshot.changedSlots.contains(link.slot) {
      let key = keys.inserted.key(of: snapshot.value(link.slot))
      if let key { noteTarget(key, snapshot.value(link.slot), root: link.destinationRoot) }
      guard let oneToOne = link.oneToOne else { continue }
      assignments.add(
        OneToOneAssignment(
          statements: oneToOne, row: RowChanges.Row(root: save.changes.root, key: row),
          slot: link.slot,
          destination: key.map { RowChanges.Row(root: link.destinationRoot, key: $0) },
          isShared: false))
    }
  }

  private func add(
    new cells: RowCells, key: Int64, _ save: EntitySave,
    to assignments: inout OneToOneAssignments
  ) {
    for link in save.toOnes {
      // A model that was deleted and inserted again keeps the links of its row.
      let value = cells.value(link.slot)
      guard let destination = keys.inserted.key(of: value) else { continue }
      if !keys.inserted.isNew(value) {
        noteTarget(destination, value, root: link.destinationRoot)
      }
      guard let oneToOne = link.oneToOne else { continue }
      let row = RowChanges.Row(root: save.changes.root, key: key)
      assignments.add(
        OneToOneAssignment(
          statements: oneToOne, row: row, slot: link.slot,
          destination: RowChanges.Row(root: link.destinationRoot, key: destination),
          isShared: !changes.isNew(row)))
    }
  }

  // MARK: One-to-one

  /// The assignments that other links may contradict. A database that is asked over a network tells which
  /// do: mostly none, because a save writes both ends.
  private func unsettled(_ assignments: [OneToOneAssignment]) throws -> [OneToOneAssignment] {
    guard store.driver.capabilities.isRemote else { return assignments }
    let concerned = assignments.filter { mayHaveOthers($0) || settledDestination($0) != nil }
    if concerned.count < 2 { return concerned }
    return try OneToOneCheck(prepared.session, store.driver.dialect).unsettled(concerned)
  }

  /// Whether other rows may lead to the row.
  private func mayHaveOthers(_ assignment: OneToOneAssignment) -> Bool {
    assignment.isShared || !changes.isNew(assignment.row)
  }

  /// The destination, if other rows may lead to it.
  private func settledDestination(_ assignment: OneToOneAssignment) -> RowChanges.Row? {
    guard let destination = assignment.destination, !deletion.contains(destination),
      assignment.isDestinationShared || !changes.isNew(destination)
    else { return nil }
    return destination
  }

  private func settle(_ assignment: OneToOneAssignment) throws {
    let (statements, key) = (assignment.statements, assignment.row.key)
    if mayHaveOthers(assignment) {
      try displace(statements.freeRow, key, assignment.destination?.key)
    }
    guard let destination = settledDestination(assignment) else { return }
    try displace(statements.freeDestination, key, destination.key)
    answered += try rewrite(statements.answer, key, destination.key)
  }

  /// Removes unique links whose model was set elsewhere, before other rows get them. A row with a required
  /// link keeps it, because the other model may be merged with this row.
  func releaseDisplaced(_ snapshot: DefaultSnapshot) throws {
    if snapshot.displacedLinks.isEmpty { return }
    let save = try prepared.save(of: snapshot)
    let unique = save.uniqueSlots(among: snapshot.releasedSlots)
    for link in save.toOnes where unique.contains(link.slot) {
      guard let destination = snapshot.displacedLinks[link.slot]?.rowKey,
        let statement = link.oneToOne?.freeDestination, !statement.isRequired,
        !deletion.contains(destination, root: link.destinationRoot)
      else { continue }
      try displace(statement, nil, destination)
    }
  }

  /// Removes the links of other rows to one end of a one-to-one relationship.
  func displace(_ rewriting: ToOneLink.Rewriting, _ row: Int64?, _ destination: Int64?) throws {
    // No row has the key 0, so 0 stands for none.
    displaced += try rewrite(rewriting, row ?? 0, destination ?? 0)
  }

  /// - Returns: The written links, which the context must apply to its models.
  private func rewrite(
    _ rewriting: ToOneLink.Rewriting, _ row: Int64, _ destination: Int64
  ) throws -> [SaveConsequences.Link] {
    let found = try prepared.statement(rewriting.sql).integers(.pair(row, destination))
    return try stride(from: 0, to: found.count, by: 2).map { index in
      let identifier = store.plans.identifier(found[index], entity: Int(found[index + 1]))
      if rewriting.isRequired {
        throw SwiftDataError.modelValidationFailure.with(
          "\(identifier) would lose its model, because the relationship is one-to-one and this save links "
            + "that model to another model. The relationship is required: give \(identifier) another model "
            + "first, or make the relationship optional. Nothing was saved.",
          entity: rewriting.entity, property: rewriting.property,
          because: .requiredValueMissing(
            entity: rewriting.entity, properties: [rewriting.property]))
      }
      changes.note(rewriting.partner, key: found[index])
      return SaveConsequences.Link(identifier: identifier, slot: rewriting.slot)
    }
  }

  /// Notes that a list lost a member to a list of another owner.
  /// - Parameters:
  ///   - member: The key of the member.
  ///   - number: The entity number of the owner.
  ///   - list: The statements of the relationship.
  func noteTaken(
    _ member: Int64, from owner: Int64, entity number: Int, _ list: ToManyStatements
  ) {
    changes.note(list.first, key: owner)
    let link = SaveConsequences.Link(
      identifier: store.plans.identifier(owner, entity: number), slot: list.slot)
    taken.append(SaveConsequences.Taking(link: link, member: member))
  }

  // MARK: Targets

  /// Notes a model that a pair of the save leads to; its row has to exist at the end.
  func noteTarget(_ identifier: PersistentIdentifier, root: Int) {
    guard let key = keys.inserted.key(of: identifier) else { return }
    noteTarget(key, .identifier(identifier), root: root)
  }

  /// Notes the destination of a link of the save, which has to exist at the end.
  private func noteTarget(_ key: Int64, _ value: SnapshotValue, root: Int) {
    let isShared = store.mapping.entity(number: root)?.sharesTable ?? false
    targets.insert(key, root: root, entity: isShared ? keys.inserted.entity(of: value) : nil)
  }

  /// - Throws: `DeletedRows` with the destinations that do not exist any more.
  private func requireTargets() throws {
    var missing: [PersistentIdentifier] = []
    for (kind, keys) in targets.keys.sorted(by: { $0.key < $1.key }) {
      guard let root = store.mapping.entity(number: kind.root) else { continue }
      let stored = keys.filter {
        let row = RowChanges.Row(root: kind.root, key: $0)
        return !changes.isNew(row) && !deletion.contains(row)
      }
      guard let first = stored.first else { continue }
      let entity = kind.entity.flatMap(store.mapping.entity(number:))
      let existing =
        entity.map { store.plans.changes(of: $0).existing }
        ?? store.plans.tableChanges(of: root).existing
      func identifiers(_ key: Int64) -> [PersistentIdentifier] {
        (entity.map { [$0.number] } ?? root.subtreeNumbers)
          .map { store.plans.identifier(key, entity: $0) }
      }
      let areFew = stored.count <= LinkWriter.fewTargets
      if areFew { changes.noteExisting(stored, root: kind.root) }
      if areFew, prepared.session.isOptimistic {
        for key in stored.sorted() {
          try prepared.session.requireLater(existing.one, .integer(key))
        }
      } else if stored.count == 1 {
        if try prepared.statement(existing.one).integer(.integer(first)) != nil { continue }
        missing += identifiers(first)
      } else {
        let list = store.driver.dialect.list(Array(stored))
        let count = try prepared.statement(existing.count).integer(.list(list))
        if count == Int64(stored.count) { continue }
        let found = Set(try prepared.statement(existing.keys).integers(.list(list)))
        missing += stored.subtracting(found).sorted().flatMap(identifiers)
      }
    }
    if !missing.isEmpty { throw DeletedRows(missing) }
  }
}

/// A to-one relationship of a stored row that a save writes.
private struct MovedLink {
  let row: RowChanges.Row
  let partner: EntityChanges.Partner
  /// The key of the stored destination.
  let old: Int64?
  let new: SnapshotValue
}

/// The destinations of a save's links.
private struct LinkTargets {
  /// The rows of one table, or of one entity in a table with several.
  struct Kind: Hashable, Comparable {
    /// The number of the root entity.
    let root: Int
    /// The number of the entity; `nil` if the table has no other, or if it is not known.
    let entity: Int?

    static func < (lhs: Kind, rhs: Kind) -> Bool {
      (lhs.root, lhs.entity ?? 0) < (rhs.root, rhs.entity ?? 0)
    }
  }

  private(set) var keys: [Kind: Set<Int64>] = [:]
  /// Many new rows in sequence have the same destination, so it is not inserted for each.
  private var last: (kind: Kind, key: Int64) = (Kind(root: 0, entity: nil), 0)

  mutating func insert(_ key: Int64, root: Int, entity: Int?) {
    let kind = Kind(root: root, entity: entity)
    if last.kind == kind, last.key == key { return }
    last = (kind, key)
    keys[kind, default: []].insert(key)
  }

  func contains(where isFound: (RowChanges.Row) -> Bool) -> Bool {
    keys.contains { kind, keys in
      keys.contains { isFound(RowChanges.Row(root: kind.root, key: $0)) }
    }
  }
}
