import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax

/// The deletions of a save: step 1 of `SaveWriter.write`.
extension SaveWriter {
  /// Deletes rows, and those that delete rules add. Links that the same save changes count as
  /// changed.
  mutating func delete(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws {
    for snapshot in request.updated { try writeLinksBeforeDeletion(snapshot) }
    for snapshot in request.deleted where !snapshot.changedSlots.isEmpty {
      try noteLinks(of: snapshot)
      try writeLinksBeforeDeletion(snapshot)
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

  /// Writes the changed relationships of a row first, so that delete rules use their new values. A
  /// link to a new model is null until that has a key, and is followed later; the same applies to
  /// properties of unique constraints.
  private mutating func writeLinksBeforeDeletion(_ snapshot: DefaultSnapshot) throws {
    guard let key = snapshot.persistentIdentifier.rowKey, !snapshot.changedSlots.isEmpty else {
      return
    }
    let save = try plan(of: snapshot)
    let unique = uniqueSlots(snapshot, save)
    var (written, nullified) = (SlotSet(), SlotSet())
    for link in save.toOnes where snapshot.changedSlots.contains(link.slot) {
      if unique.contains(link.slot) {
        nullified.insert(link.slot)
      } else {
        written.insert(link.slot)
      }
    }
    if let sql = save.unlinking(nullified) { try prepared(sql).run(.integer(key)) }
    if !written.isEmpty { _ = try runUpdate(snapshot, save, written, key: key) }
    for link in save.toOnes where snapshot.changedSlots.contains(link.slot) {
      guard let oneToOne = link.oneToOne, !oneToOne.freeRow.isRequired else { continue }
      // The new destination must not be confused with the old one, which may be deleted.
      let destination = destination(of: snapshot.value(link.slot))
      try rewrite(oneToOne.freeRow, key, destination ?? 0) { $0.displaced.append($1) }
    }
    try unlinkPairs(of: snapshot)
  }

  // MARK: New models that are deleted

  /// The request, with the unique values removed from new models that delete rules delete at once.
  /// Such a model must not be merged with a stored row, which would be deleted with it. It is
  /// written nevertheless, so that the rules apply to rows that refer to it.
  /// - Returns: Also the indices of these models.
  mutating func removingUniqueValuesOfDeletedInserts(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> (request: DataStoreSaveChangesRequest<DefaultSnapshot>, doomed: Set<Int>) {
    let doomed = deletion.isEmpty ? [] : try doomedPlaces(request.inserted)
    if doomed.isEmpty { return (request, []) }
    var inserted = request.inserted
    for index in doomed {
      let columns = try plan(of: inserted[index]).statements.lookups.flatMap(\.columns)
      inserted[index] = inserted[index].emptying(
        columns.filter { $0.content == .plain }.map(\.cell))
    }
    return (
      DataStoreSaveChangesRequest(
        inserted: inserted, updated: request.updated, deleted: request.deleted,
        editingState: request.editingState), doomed
    )
  }

  /// New models that a cascade deletes, because they belong to a deleted row or to another such
  /// model.
  private mutating func doomedPlaces(_ snapshots: [DefaultSnapshot]) throws -> Set<Int> {
    var indices: Set<Int> = []
    var identifiers: Set<PersistentIdentifier> = []
    var hasGrown = true
    while hasGrown {
      hasGrown = false
      for (index, snapshot) in snapshots.enumerated() where !indices.contains(index) {
        for link in try plan(of: snapshot).toOnes where cascades(to: link) {
          guard case .identifier(let owner)? = snapshot.changedValue(link.slot) else { continue }
          let isDoomed =
            owner.resolved.rowKey.map { deletion.contains($0, root: link.destinationRoot) }
            ?? identifiers.contains(owner)
          guard isDoomed else { continue }
          indices.insert(index)
          identifiers.insert(snapshot.persistentIdentifier)
          hasGrown = true
          break
        }
      }
    }
    return indices
  }

  /// Whether deleting the destination of a relationship also deletes the row.
  private func cascades(to link: ToOneLink) -> Bool {
    guard let inverse = link.inverse else { return false }
    return store.schema.relationship(inverse, of: link.destination)?.deleteRule == .cascade
  }
}

extension DefaultSnapshot {
  /// A copy with some values removed.
  fileprivate func emptying(_ nullified: [Int]) -> DefaultSnapshot {
    var cells =
      cells ?? ContiguousArray(repeating: .unset, count: descriptor.layout.kinds.count)
    for cell in nullified { cells[cell] = .null }
    return DefaultSnapshot(
      persistentIdentifier: persistentIdentifier, descriptor: descriptor, page: page, row: row,
      cells: cells, toManys: toManys, changedSlots: changedSlots)
  }
}

/// Reads the rows of models whose values the context has not loaded.
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
