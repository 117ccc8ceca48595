import OpenSwiftDataSQLSyntax

/// The deletions of a save. Used by the steps of `SaveWriter`.
///
/// `RowDeletion` deletes the rows and applies the delete rules. This type prepares the rows for the
/// rules, and collects what the rules did for the context.
final class SaveDeletion {
  private let store: RelationalStore
  private let session: any SQLSession
  private let prepared: PreparedSave
  private let keys: InsertedKeys
  private let deletion: RowDeletion
  private let rows: RowWriter
  private let links: LinkWriter
  private let pairs: PairWriter
  /// Selects the keys of models that the context has without their values.
  private let needLastValues: (IdentifierScope, [Int64]) -> [Int64]
  private var lastValues: [DefaultSnapshot] = []
  /// New models that delete rules delete at once.
  private var doomed: [PersistentIdentifier] = []

  init(
    store: RelationalStore, session: any SQLSession, _ prepared: PreparedSave,
    _ keys: InsertedKeys, _ deletion: RowDeletion, _ rows: RowWriter, _ links: LinkWriter,
    _ pairs: PairWriter,
    needLastValues: @escaping (IdentifierScope, [Int64]) -> [Int64]
  ) {
    self.store = store
    self.session = session
    self.prepared = prepared
    self.keys = keys
    self.deletion = deletion
    self.rows = rows
    self.links = links
    self.pairs = pairs
    self.needLastValues = needLastValues
  }

  var isEmpty: Bool { deletion.isEmpty }

  /// Whether delete rules have deleted rows that the request does not name.
  var hasCascades: Bool { !deletion.cascaded.isEmpty }

  /// Whether the save deletes the row.
  func contains(_ row: RowChanges.Row) -> Bool { deletion.contains(row) }

  /// Deletes rows, and the rows that delete rules add. Links that the same save changes count as
  /// changed.
  func run(_ request: SaveRequest) throws {
    for snapshot in request.updated { try writeLinks(of: snapshot) }
    for snapshot in request.deleted where !snapshot.changedSlots.isEmpty {
      try links.noteStored(snapshot)
      try writeLinks(of: snapshot)
    }
    let deleted = try request.deleted.compactMap { snapshot in
      try snapshot.persistentIdentifier.rowKey.map {
        (key: $0, entity: try prepared.save(of: snapshot).statements.entity.number)
      }
    }
    let requested = RowDeletion.groups(deleted)
    lastValues += try values(of: requested)
    let rows = withoutOtherEntities(requested, lastValues)
    try deletion.run(rows) { lastValues += try values(of: $0) }
  }

  /// A model whose row the context has never read may have the key of a row of another entity in the table. The
  /// delete rules must not concern that row.
  /// - Parameter values: The rows that were read for the deletion.
  private func withoutOtherEntities(
    _ rows: [RowDeletion.Rows], _ values: [DefaultSnapshot]
  ) -> [RowDeletion.Rows] {
    var known: Set<PersistentIdentifier>?
    return rows.map { rows in
      guard store.mapping.entity(number: rows.entity)?.sharesTable == true else { return rows }
      let scope = store.plans.scope(number: rows.entity)
      let unread = Set(needLastValues(scope, rows.keys))
      if unread.isEmpty { return rows }
      let found = known ?? Set(values.map(\.persistentIdentifier))
      known = found
      let keys = rows.keys.filter {
        !unread.contains($0) || found.contains(PersistentIdentifier(scope: scope, key: $0))
      }
      if keys.count < rows.keys.count { deletion.hasMissedRows = true }
      return RowDeletion.Rows(entity: rows.entity, keys: keys)
    }
  }

  /// Writes the changed relationships of a row first, so that delete rules use their new values. A
  /// link to a new model is null until that has a key, and is followed later; the same applies to
  /// properties of unique constraints.
  private func writeLinks(of snapshot: DefaultSnapshot) throws {
    guard let key = snapshot.persistentIdentifier.rowKey, !snapshot.changedSlots.isEmpty else {
      return
    }
    let save = try prepared.save(of: snapshot)
    let unique = save.uniqueSlots(among: snapshot.changedSlots)
    var (written, nullified) = (SlotSet(), SlotSet())
    for link in save.toOnes where snapshot.changedSlots.contains(link.slot) {
      if unique.contains(link.slot) {
        nullified.insert(link.slot)
      } else {
        written.insert(link.slot)
      }
    }
    if let sql = save.unlinking(nullified) { try prepared.statement(sql).run(.integer(key)) }
    if !written.isEmpty { _ = try rows.update(snapshot, save, written, key: key) }
    for link in save.toOnes where snapshot.changedSlots.contains(link.slot) {
      guard let oneToOne = link.oneToOne, !oneToOne.freeRow.isRequired else { continue }
      // The new destination must not be confused with the old one, which may be deleted.
      let destination = keys.key(of: snapshot.value(link.slot))
      try links.displace(oneToOne.freeRow, key, destination)
    }
    try pairs.unlink(snapshot)
  }

  /// Reads the rows of models whose values the context has not loaded, or has not safely.
  private func values(of rows: [RowDeletion.Rows]) throws -> [DefaultSnapshot] {
    try rows.flatMap { rows in
      guard let entity = store.mapping.entity(number: rows.entity) else {
        return [DefaultSnapshot]()
      }
      let keys = needLastValues(store.plans.scope(number: rows.entity), rows.keys)
      if keys.isEmpty { return [] }
      let selection = store.plans.selection(of: entity)
      let found = try session.statement(selection.byKeys)
        .rows(.list(store.driver.dialect.list(keys)), store.reading(selection)).rows.snapshots
      return found.filter { $0.descriptor === entity.descriptor }
    }
  }

  // MARK: New models that are deleted

  /// The request, with the unique values removed from new models that delete rules delete at once.
  /// Such a model must not be merged with a stored row, which would be deleted with it. It is
  /// written nevertheless, so that the rules apply to rows that refer to it, and then deleted by its key:
  /// the columns that lead to it may be among the removed values.
  /// - Returns: Also the indices of these models.
  func removingUniqueValuesOfDoomedModels(
    _ request: SaveRequest
  ) throws -> (request: SaveRequest, doomed: Set<Int>) {
    // Deletes also stored rows to which only a unique link of a deleted row leads: it is not written.
    let doomed = deletion.isEmpty ? [] : try doomedIndices(request)
    if doomed.isEmpty { return (request, []) }
    var changed = request
    for index in doomed.sorted() {
      let snapshot = request.inserted[index]
      let columns = try prepared.save(of: snapshot).statements.lookups.flatMap(\.columns)
      changed.inserted.replace(at: index, with: snapshot.emptying(columns.map(\.cell)))
      self.doomed.append(snapshot.persistentIdentifier)
    }
    return (changed, doomed)
  }

  /// Applies `.deny` to the links of deleted rows that `writeLinks` has left out, so that no query finds them:
  /// those to new models, and those of unique constraints.
  /// - Parameter doomed: The indices of the new models that delete rules delete at once.
  func refuseUnwrittenLinks(_ request: SaveRequest, besides doomed: Set<Int>) throws {
    if deletion.isEmpty { return }
    var found: [(row: DefaultSnapshot, link: ToOneLink, partner: PersistentIdentifier)] = []
    for snapshots in [request.deleted, request.updated] {
      for snapshot in snapshots where !snapshot.changedSlots.isEmpty {
        let save = try prepared.save(of: snapshot)
        guard let key = snapshot.persistentIdentifier.rowKey,
          deletion.contains(key, root: save.changes.root)
        else { continue }
        for link in save.toOnes where snapshot.changedSlots.contains(link.slot) {
          guard rule(link.property, of: save.statements.entity.name) == .deny,
            case .identifier(let partner)? = snapshot.changedValue(link.slot)
          else { continue }
          found.append((snapshot, link, partner))
        }
      }
    }
    if found.isEmpty { return }
    let models = request.inserted
    let new = Set(
      models.indices.lazy.filter { !doomed.contains($0) }
        .compactMap(models.knownIdentifier(at:)))
    let denied = try found.filter { row, link, partner in
      if new.contains(partner) { return true }
      let unique = try prepared.save(of: row).uniqueSlots(among: SlotSet(link.slot))
      return try !unique.isEmpty && isStored(partner, link)
    }
    try SwiftDataError.throwAll(
      denied.map { row, link, partner in
        deletion.denial(
          of: row.persistentIdentifier, row.descriptor.entityName, link.property,
          [partner.description])
      })
  }

  /// Whether the destination of a link has a row that the save does not delete.
  private func isStored(_ destination: PersistentIdentifier, _ link: ToOneLink) throws -> Bool {
    guard let key = keys.key(of: destination), !deletion.contains(key, root: link.destinationRoot),
      let root = store.mapping.entity(number: link.destinationRoot)
    else { return false }
    let existing = store.plans.tableChanges(of: root).existing
    return try prepared.statement(existing.one).integer(.integer(key)) != nil
  }

  /// The rows of the new models that delete rules delete, once they have keys.
  var doomedRows: [RowDeletion.Rows] {
    RowDeletion.groups(doomed.compactMap(keys.destination(of:)))
  }

  /// New models that a cascade deletes, because they belong to a deleted row or to another such
  /// model. Stored rows to which only such models lead are deleted.
  private func doomedIndices(_ request: SaveRequest) throws -> Set<Int> {
    let models = request.inserted
    var indices: Set<Int> = []
    var identifiers: Set<PersistentIdentifier> = []
    var members: Set<PersistentIdentifier> = []
    for snapshots in [request.deleted, request.updated] {
      for snapshot in snapshots where snapshot.hasNewLinks {
        let root = try prepared.save(of: snapshot).changes.root
        guard let key = snapshot.persistentIdentifier.rowKey, deletion.contains(key, root: root)
        else { continue }
        members.formUnion(try cascadedModels(of: snapshot))
      }
    }
    var hasGrown = true
    while hasGrown {
      hasGrown = false
      for index in models.indices where !indices.contains(index) {
        let isMember = models.knownIdentifier(at: index).map(members.contains) ?? false
        let cells = models.cells(at: index)
        guard
          try isMember
            || isOwned(
              prepared.save(of: models.descriptor(at: index)), byOneOf: identifiers,
              cells.changedValue)
        else { continue }
        indices.insert(index)
        identifiers.insert(models[index].persistentIdentifier)
        members.formUnion(try cascadedModels(of: models[index]))
        hasGrown = true
      }
    }
    for snapshot in request.updated where !snapshot.changedSlots.isEmpty {
      let isOwned = try isOwned(prepared.save(of: snapshot), byOneOf: identifiers) { slot in
        snapshot.changedSlots.contains(slot) ? snapshot.changedValue(slot) : nil
      }
      if isOwned { members.insert(snapshot.persistentIdentifier) }
    }
    let stored = members.subtracting(identifiers).compactMap(keys.destination(of:))
      .filter { row in
        store.mapping.entity(number: row.entity)
          .map { !deletion.contains(row.key, root: store.mapping.rootNumber(of: $0)) } ?? false
      }
      .sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
    if stored.isEmpty { return indices }
    try deletion.run(RowDeletion.groups(stored), areCascaded: true) {
      lastValues += try values(of: $0)
    }
    return try doomedIndices(request)
  }

  /// Whether a model refers to a deleted row, or to one of some new models, whose deletion deletes it.
  /// - Parameter changedValue: The new value of a slot.
  private func isOwned(
    _ save: EntitySave, byOneOf identifiers: Set<PersistentIdentifier>,
    _ changedValue: (Int) -> SnapshotValue?
  ) -> Bool {
    save.toOnes.contains { link in
      guard cascades(to: link), case .identifier(let owner)? = changedValue(link.slot)
      else { return false }
      return owner.resolved.rowKey.map { deletion.contains($0, root: link.destinationRoot) }
        ?? identifiers.contains(owner)
    }
  }

  /// The models that changed relationships of a row lead to, and that are deleted with it. Of a list whose
  /// members have a column for the owner, that column decides (`isOwned`).
  private func cascadedModels(of snapshot: DefaultSnapshot) throws -> [PersistentIdentifier] {
    let save = try prepared.save(of: snapshot)
    let entity = save.statements.entity.name
    let members = save.toMany.flatMap { list -> [PersistentIdentifier] in
      guard let added = snapshot.toMany(list.slot)?.added, !added.isEmpty,
        cascades(list.names.list, of: entity)
      else { return [] }
      return added
    }
    let destinations = save.toOnes.compactMap { link -> PersistentIdentifier? in
      guard snapshot.changedSlots.contains(link.slot), cascades(link.property, of: entity),
        case .identifier(let destination)? = snapshot.changedValue(link.slot)
      else { return nil }
      return destination
    }
    return members + destinations
  }

  /// Whether deleting the destination of a relationship also deletes the row.
  private func cascades(to link: ToOneLink) -> Bool {
    link.inverse.map { cascades($0, of: link.destination) } ?? false
  }

  /// Whether deleting a row also deletes the models of its relationship.
  private func cascades(_ property: String, of entity: String) -> Bool {
    rule(property, of: entity) == .cascade
  }

  private func rule(
    _ property: String, of entity: String
  ) -> Schema.Relationship.DeleteRule? {
    store.schema.relationship(property, of: entity)?.deleteRule
  }

  // MARK: What the context learns

  /// The effects of the save beyond the request.
  /// - Parameter keys: The keys of the new rows.
  func consequences(
    _ new: InsertionRuns, _ keys: KeyAssigner, _ changes: RowChanges
  ) -> SaveConsequences {
    var consequences = SaveConsequences()
    consequences.lastValues = lastValues
    consequences.displaced = links.displaced
    consequences.answered = links.answered
    consequences.taken = links.taken
    consequences.hasMissedRows = deletion.hasMissedRows
    if deletion.isEmpty { return consequences }
    consequences.dropped = new.runs.flatMap { run in
      run.indices.filter {
        deletion.contains(RowChanges.Row(root: run.save.changes.root, key: keys[$0]))
      }
    }
    for rows in deletion.cascaded {
      guard let entity = store.mapping.entity(number: rows.entity) else { continue }
      let scope = store.plans.scope(number: rows.entity)
      let root = store.mapping.rootNumber(of: entity)
      consequences.deleted.reserveCapacity(consequences.deleted.count + rows.keys.count)
      for key in rows.keys where !changes.isNew(RowChanges.Row(root: root, key: key)) {
        consequences.deleted.append(PersistentIdentifier(scope: scope, key: key))
      }
    }
    // Some of them were displaced, or lost a member, before they were deleted.
    if !consequences.displaced.isEmpty || !consequences.taken.isEmpty {
      let deleted = Set(consequences.deleted)
      consequences.displaced.removeAll { deleted.contains($0.identifier) }
      consequences.taken.removeAll { deleted.contains($0.link.identifier) }
    }
    let rewritten = deletion.nullified.isEmpty ? [] : links.rewritten(by: new)
    consequences.nullified = deletion.nullified.compactMap { link in
      guard let entity = store.mapping.entity(number: link.entity),
        !deletion.contains(link.key, root: store.mapping.rootNumber(of: entity))
      else { return nil }
      let link = SaveConsequences.Link(
        identifier: store.plans.identifier(link.key, entity: link.entity), slot: link.slot)
      return rewritten.contains(link) ? nil : link
    }
    consequences.changedLists = changes.listOwners.changes(store.plans)
    return consequences
  }
}

extension DefaultSnapshot {
  /// Whether it may lead to models to which its row did not lead.
  fileprivate var hasNewLinks: Bool {
    !changedSlots.isEmpty || toManys.contains { !$0.added.isEmpty }
  }
}
