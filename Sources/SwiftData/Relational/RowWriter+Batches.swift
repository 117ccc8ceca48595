// How new models with unique values are written to a server, where each statement waits for its answer: the
// values of many are looked up with one statement for each constraint, new rows are inserted together, and
// stored ones are updated together.

extension RowWriter {
  /// Writes models whose statement finds an existing row.
  func mergeLookedUp(
    _ indices: [Int], of models: NewModels, _ save: EntitySave
  ) throws {
    guard let sql = save.statements.upsert else { return }
    var rest = indices[...]
    while let index = rest.first {
      let own = index..<index + 1
      var count = canLookUpBatches ? try writeBatch(rest, of: models, save) : 0
      if count == 0, refusesUpserts {
        count = try insertUntilConflict(own, of: models, save, sql.insertOnly)
      } else if count == 0 {
        count = try mergeUntilNew(own, of: models, save, sql.insertOrUpdate)
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Writes models whose row must be looked up. Those of one table are written in their order.
  func writeBatches(
    _ ready: [LookUpOrder.Position], of models: NewModels,
    _ incomplete: inout [LookUpOrder.Position]
  ) throws {
    let tables = Dictionary(grouping: ready) { $0.save.changes.root }
    for positions in tables.values.sorted(by: { $0[0].index < $1[0].index }) {
      var rest = positions[...]
      while let first = rest.first {
        let batch = rest.prefix { $0.save === first.save }.prefix(batchSize.count)
        let count =
          canLookUpBatches && batch.count > 1
          ? try writeBatch(batch.map(\.index), of: models, first.save) : 0
        if count == 0 {
          try writeAlone(first, of: models, &incomplete, isFree: false)
          rest = rest.dropFirst()
          continue
        }
        incomplete += batch.prefix(count).filter { position in
          keys.inserted.hasUnassigned(models.cells(at: position.index), position.save)
        }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// Looks up and writes the first of some models of one entity.
  /// - Parameter indices: The indices of the models, in their order.
  /// - Returns: The number of written models. 0 if the first one must be written alone.
  func writeBatch(
    _ indices: some Collection<Int>, of models: NewModels, _ save: EntitySave
  ) throws -> Int {
    let indices = Array(indices.prefix(batchSize.count))
    guard let matches = try matches(of: indices, models, save) else { return 0 }
    var fates = matches.fates(
      of: save.statements.entity.number, refusesUpserts: refusesUpserts)
    batchSize.note(written: fates.count, of: matches.count)
    let new = fates.indices.filter { fates[$0] == .inserted }
    var count = 0
    if !new.isEmpty {
      let free = try keys.free(for: save)
      count = min(new.count, free.count)
      // Another program may have inserted one meanwhile.
      if let sql = save.statements.upsert?.insertOnly {
        let writes = writes(new.prefix(count).map { indices[$0] }, models, save, from: free.first)
        count = try prepared.statement(sql).runWhileChanging(writes)
      }
    }
    if count < new.count { fates.removeSubrange(new[count]...) }
    if fates.isEmpty { return 0 }
    try assignKeys(fates, indices, models, save, newCount: count)
    if save.statements.upsert == nil, count > 0 {
      let inserted = new.prefix(count).map { indices[$0] }
      try prepared.statement(save.statements.insert).run(
        writes(inserted, models, save, from: keys[inserted[0]]))
    }
    let merged = fates.indices.filter { fates[$0] != .inserted }.map { indices[$0] }
    if !merged.isEmpty { try merge(merged, of: models, save) }
    return fates.count
  }

  /// - Returns: `nil` if the table does not allow to look up many rows together.
  private func matches(
    of indices: [Int], _ models: NewModels, _ save: EntitySave
  ) throws -> UniqueMatches? {
    var matches = UniqueMatches(count: indices.count)
    let entity = save.statements.entityNumber == nil ? save.statements.entity.number : nil
    for lookup in save.statements.lookups {
      let found = try lookup.listSQL.flatMap { sql in
        try prepared.statement(lookup.sql).integers(0..<matches.count, lists: sql) { position in
          RowValues(
            row: models.cells(at: indices[position]), cells: lookup.cells, keys: keys.inserted)
        }
      }
      guard let found else {
        canLookUpBatches = false
        return nil
      }
      matches.add(found, entity: entity)
    }
    return matches
  }

  private func writes(
    _ indices: [Int], _ models: NewModels, _ save: EntitySave, from key: Int64
  ) -> RowWrites {
    var writes = writes(indices.indices, of: models, save, from: key, isBulk: true)
    writes.selection = indices
    return writes
  }

  private func assignKeys(
    _ fates: [UniqueMatches.Fate], _ indices: [Int], _ models: NewModels, _ save: EntitySave,
    newCount: Int
  ) throws {
    var next = newCount > 0 ? try keys.take(newCount, save) : 0
    for (position, fate) in fates.enumerated() {
      let index = indices[position]
      let key: Int64
      switch fate {
      case .inserted:
        key = next
        next += 1
      case .row(let stored): key = stored
      case .earlier(let first): key = keys[indices[first]]
      }
      keys.assign(key, to: index..<index + 1, of: models, save)
    }
  }

  /// Updates the rows of models that have the keys of other rows.
  private func merge(_ indices: [Int], of models: NewModels, _ save: EntitySave) throws {
    store.takenValues.note(in: save.statements.entity.table)
    var earlier = try earlierLinks(of: Array(Set(indices.map { keys[$0] })), save)
    for index in indices {
      noteMerged(index, save, earlier[keys[index]])
      if earlier.isEmpty { continue }
      // Several models may become one row.
      for link in save.toOnes {
        guard case .identifier(let destination) = models.cells(at: index).value(link.slot) else {
          continue
        }
        earlier[keys[index]]?[link.slot] = .some(destination)
      }
    }
    if save.statements.upsert == nil {
      let snapshots = indices.map { models[$0] }
      let rows = zip(indices, snapshots).map { index, snapshot in
        LinkWriter.StoredRow(
          snapshot: snapshot, save: save, slots: snapshot.upsertSlots, key: keys[index])
      }
      try links.noteStored(rows)
      try write(indices, of: models, save) { save.update(of: snapshots[$0].upsertSlots) }
    } else if let update = save.upsertedUpdate {
      try write(indices, of: models, save) { _ in update }
    } else {
      // Only the version changes.
      let partner = EntityChanges.Partner(root: save.changes.root, slot: nil)
      for index in indices { changes.note(partner, key: keys[index]) }
    }
  }

  /// Writes to-one relationships of models whose destinations had no keys before.
  /// - Returns: Whether they were written. If not, some belong to a unique constraint, so the rows with these
  ///   values must be looked up before each is written.
  func completeLinks(
    _ links: [(position: LookUpOrder.Position, slots: SlotSet)], of models: NewModels
  ) throws -> Bool {
    for (position, slots) in links where !position.save.uniqueSlots(among: slots).isEmpty {
      return false
    }
    var rest = links[...]
    while let save = rest.first?.position.save {
      let part = Array(rest.prefix { $0.position.save === save })
      try write(part.map(\.position.index), of: models, save) { save.update(of: part[$0].slots) }
      rest = rest.dropFirst(part.count)
    }
    return true
  }

  /// - Parameter update: The update for the model at a position.
  private func write(
    _ indices: [Int], of models: NewModels, _ save: EntitySave,
    _ update: (Int) -> EntitySave.Update?
  ) throws {
    var rows = MergedRows()
    for (position, index) in indices.enumerated() {
      guard let update = update(position) else { continue }
      let row = (index, keys[index])
      if rows.add(row, update) { continue }
      try write(rows, of: models, save)
      rows = MergedRows()
      _ = rows.add(row, update)
    }
    try write(rows, of: models, save)
  }

  private func write(_ merged: MergedRows, of models: NewModels, _ save: EntitySave) throws {
    for group in merged.groups {
      let rows = group.rows.compactMap { $0 }
      if rows.isEmpty { continue }
      try prepared.statement(group.update.sql).run(rows.count, lists: group.update.listSQL) {
        RowValues(
          row: models.cells(at: rows[$0].index), cells: group.update.cells, keys: keys.inserted,
          trailingKey: rows[$0].key)
      } result: { index, changedRows in
        if changedRows == 0 { return }
        changes.noteUpdate(
          RowChanges.Row(root: save.changes.root, key: rows[index].key), group.update.slots)
      }
    }
  }
}
