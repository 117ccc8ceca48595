/// Inserts and updates single rows.
extension SaveWriter {
  mutating func insert(_ snapshot: DefaultSnapshot, _ save: EntitySave, key: Int64) throws {
    try prepared(save.statements.insert).run(.row(values(snapshot, save, key: key)))
  }

  /// Inserts the rows at some indices; one statement inserts a run of rows of one entity.
  mutating func insert(
    _ indices: [Int], _ snapshots: [DefaultSnapshot], _ saves: [EntitySave]
  ) throws {
    var rest = indices[...]
    while let first = rest.first {
      let save = saves[first]
      // Consecutive indices are slices of the request and of its keys.
      let count = zip(rest, first...).prefix { $0 == $1 && saves[$0] === save }.count
      let run = first..<(first + count)
      try prepared(save.statements.insert).run(
        RowWrites(
          snapshots: snapshots[run], rowKeys: keys[run], columns: save.statements.columns,
          keys: insertedKeys))
      rest = rest.dropFirst(count)
    }
  }

  func values(_ snapshot: DefaultSnapshot, _ save: EntitySave, key: Int64) -> RowValues {
    RowValues(
      snapshot: snapshot, columns: save.statements.columns, keys: insertedKeys, leadingKey: key)
  }

  /// Writes a model with unique values in one statement.
  ///
  /// As long as models are new, an insert that does nothing on a conflict is the fastest. After the
  /// first conflict, the statement that updates the row and returns its key is used.
  /// - Returns: The key of the written row.
  mutating func upsert(_ snapshot: DefaultSnapshot, _ save: EntitySave) throws -> Int64 {
    guard let sql = save.statements.upsert else { return 0 }
    let next = try nextKey(save)
    let values = values(snapshot, save, key: next)
    if !expectsUpsert {
      if try prepared(sql.insertOnly).run(.row(values)) > 0 { return next }
      if options.refusesUpserts { throw try refusedUpsert(snapshot, save) }
      expectsUpsert = true
    }
    let key = try prepared(sql.insertOrUpdate).integer(.row(values)) ?? next
    expectsUpsert = key != next
    if expectsUpsert {
      nextKeys[save.statements.entity.rootName] = next
      changes.noteUpdate(RowChanges.Row(root: save.changes.root, key: key), save.upsertedSlots)
    }
    return key
  }

  mutating func update(_ snapshot: DefaultSnapshot) throws {
    let save = try plan(of: snapshot)
    guard let key = snapshot.persistentIdentifier.rowKey,
      !deletion.contains(key, root: save.changes.root),
      let found = try runUpdate(snapshot, save, snapshot.changedSlots, key: key)
    else { return }
    if !found { deletedRows.append(snapshot.persistentIdentifier) }
  }

  /// - Returns: Whether the row existed; nil if no column has to be written.
  mutating func runUpdate(
    _ snapshot: DefaultSnapshot, _ save: EntitySave, _ slots: SlotSet, key: Int64
  ) throws -> Bool? {
    guard let update = save.update(of: slots) else { return nil }
    let values = RowValues(
      snapshot: snapshot, columns: update.columns, keys: insertedKeys, trailingKey: key)
    do {
      guard try prepared(update.sql).run(.row(values)) > 0 else { return false }
      changes.noteUpdate(RowChanges.Row(root: save.changes.root, key: key), update.slots)
      return true
    } catch let error as any DatabaseFailure where error.isUniquenessViolation {
      throw try collision(of: snapshot, save, key: key) ?? error
    }
  }
}
