import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax

/// The deletions of a save: the first step of `SaveWriter.write`.
extension SaveWriter {
  /// Deletes rows, and those that delete rules add. Links that the same save changes count as changed.
  mutating func delete(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws {
    for snapshot in request.updated { try writeLinksEarly(snapshot) }
    for snapshot in request.deleted where !snapshot.changedSlots.isEmpty {
      try noteLinks(of: snapshot)
      try writeLinksEarly(snapshot)
    }
    let rows = try request.deleted.compactMap { snapshot in
      try snapshot.persistentIdentifier.rowKey.map {
        (key: $0, entity: try plan(of: snapshot).statements.entity.number)
      }
    }
    let reader = LastValues(store: store, session: session, isWanted: options.needsLastValues)
    var last: [DefaultSnapshot] = []
    try deletion.run(rows, &changes) { last = try reader.values(of: $0) }
    consequences.lastValues = last
  }

  /// Writes the relationships that a row changes, so that delete rules follow what they are and not what they
  /// were. What leads to a new model is empty until that has its key, and followed then; so is what takes part in
  /// a uniqueness constraint.
  private mutating func writeLinksEarly(_ snapshot: DefaultSnapshot) throws {
    guard let key = snapshot.persistentIdentifier.rowKey, !snapshot.changedSlots.isEmpty else {
      return
    }
    let save = try plan(of: snapshot)
    let unique = uniqueSlots(snapshot, save)
    var (written, emptied) = (SlotSet(), SlotSet())
    for link in save.toOnes where snapshot.changedSlots.contains(link.slot) {
      if unique.contains(link.slot) { emptied.insert(link.slot) } else { written.insert(link.slot) }
    }
    if let sql = save.unlinking(emptied) { try prepared(sql).run(.integer(key)) }
    if !written.isEmpty { _ = try runUpdate(snapshot, save, written, key: key) }
    for link in save.toOnes where snapshot.changedSlots.contains(link.slot) {
      guard let oneToOne = link.oneToOne, !oneToOne.freeRow.isRequired else { continue }
      // The model that the row leads to now is not the one of before, which may be deleted.
      let destination = destination(of: snapshot.value(link.slot))
      try rewrite(oneToOne.freeRow, key, destination ?? 0) { $0.displaced.append($1) }
    }
    try unlinkPairs(of: snapshot)
  }

  // MARK: New models that are deleted

  /// The request with new models that the rules delete at once without their unique values: one of them
  /// must not become a stored row, which would be deleted with it. They are written, so that the rules follow what
  /// leads to them.
  /// - Returns: The places of these models too.
  mutating func sparingUniqueValues(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> (request: DataStoreSaveChangesRequest<DefaultSnapshot>, doomed: Set<Int>) {
    let doomed = deletion.isEmpty ? [] : try doomedPlaces(request.inserted)
    if doomed.isEmpty { return (request, []) }
    var inserted = request.inserted
    for place in doomed {
      let columns = try plan(of: inserted[place]).statements.lookups.flatMap(\.columns)
      inserted[place] = inserted[place].emptying(
        columns.filter { $0.content == .plain }.map(\.cell))
    }
    return (
      DataStoreSaveChangesRequest(
        inserted: inserted, updated: request.updated, deleted: request.deleted,
        editingState: request.editingState), doomed
    )
  }

  /// New models that belong to a deleted row, or to another one of these, by a rule that cascades.
  private mutating func doomedPlaces(_ snapshots: [DefaultSnapshot]) throws -> Set<Int> {
    var places: Set<Int> = []
    var identifiers: Set<PersistentIdentifier> = []
    var hasGrown = true
    while hasGrown {
      hasGrown = false
      for (place, snapshot) in snapshots.enumerated() where !places.contains(place) {
        for link in try plan(of: snapshot).toOnes where cascades(to: link) {
          guard case .identifier(let owner)? = snapshot.changedValue(link.slot) else { continue }
          let isDoomed =
            owner.resolved.rowKey.map { deletion.contains($0, root: link.destinationRoot) }
            ?? identifiers.contains(owner)
          guard isDoomed else { continue }
          places.insert(place)
          identifiers.insert(snapshot.persistentIdentifier)
          hasGrown = true
          break
        }
      }
    }
    return places
  }

  /// Whether the deletion of what a relationship leads to deletes the row too.
  private func cascades(to link: ToOneLink) -> Bool {
    guard let inverse = link.inverse else { return false }
    return store.schema.relationship(inverse, of: link.destination)?.deleteRule == .cascade
  }
}

extension DefaultSnapshot {
  /// The same values without some.
  fileprivate func emptying(_ emptied: [Int]) -> DefaultSnapshot {
    var cells =
      cells ?? ContiguousArray(repeating: .unset, count: descriptor.layout.kinds.count)
    for cell in emptied { cells[cell] = .null }
    return DefaultSnapshot(
      persistentIdentifier: persistentIdentifier, descriptor: descriptor, page: page, row: row,
      cells: cells, toManys: toManys, changedSlots: changedSlots)
  }
}

/// Reads the rows of models that the context shows without having read them.
private struct LastValues {
  let store: RelationalStore
  let session: any SQLSession
  let isWanted: (PersistentIdentifier) -> Bool

  func values(of rows: [(key: Int64, entity: Int)]) throws -> [DefaultSnapshot] {
    let wanted = rows.filter { isWanted(store.plans.identifier($0.key, entity: $0.entity)) }
    return try Dictionary(grouping: wanted, by: \.entity).flatMap { number, rows in
      guard let entity = store.mapping.entity(number: number) else { return [DefaultSnapshot]() }
      let selection = store.plans.selection(of: entity)
      return try session.statement(selection.byKeys)
        .rows(.list(store.driver.dialect.list(rows.map(\.key))), store.reading(selection))
        .rows.snapshots
    }
  }
}
