/// Inserts, updates and merges the rows of a save. Used by the steps of `SaveWriter`.
///
/// A new model with the unique values of a stored row becomes that row. A changed row releases the
/// unique values that it changes before others are written, so that values can move from one model
/// to another.
final class RowWriter {
  private let store: RelationalStore
  private let prepared: PreparedSave
  private let keys: KeyAssigner
  private let changes: RowChanges
  private let deletion: RowDeletion
  private let links: LinkWriter
  /// Whether a new model with the unique values of a stored row is an error.
  private let refusesUpserts: Bool
  /// Whether the last model with unique values was merged with its row; the next one probably is
  /// too.
  private var expectsUpsert = false
  /// Changed models whose rows do not exist any more.
  private(set) var deletedRows: [PersistentIdentifier] = []

  init(
    store: RelationalStore, _ prepared: PreparedSave, _ keys: KeyAssigner, _ changes: RowChanges,
    _ deletion: RowDeletion, _ links: LinkWriter, refusesUpserts: Bool
  ) {
    self.store = store
    self.prepared = prepared
    self.keys = keys
    self.changes = changes
    self.deletion = deletion
    self.links = links
    self.refusesUpserts = refusesUpserts
  }

  // MARK: New rows

  /// Inserts the rows at some indices; one statement inserts a run of rows of one entity.
  func insert(
    _ indices: [Int], _ snapshots: [DefaultSnapshot], _ saves: [EntitySave]
  ) throws {
    var rest = indices[...]
    while let first = rest.first {
      let save = saves[first]
      // Consecutive indices are slices of the request and of its keys.
      let count = zip(rest, first...).prefix { $0 == $1 && saves[$0] === save }.count
      let run = first..<(first + count)
      try prepared.statement(save.statements.insert).run(
        RowWrites(
          snapshots: snapshots[run], rowKeys: keys.all[run], columns: save.statements.columns,
          keys: keys.inserted))
      rest = rest.dropFirst(count)
    }
  }

  private func insert(_ snapshot: DefaultSnapshot, _ save: EntitySave, key: Int64) throws {
    try prepared.statement(save.statements.insert).run(.row(values(snapshot, save, key: key)))
  }

  private func values(_ snapshot: DefaultSnapshot, _ save: EntitySave, key: Int64) -> RowValues {
    RowValues(
      snapshot: snapshot, columns: save.statements.columns, keys: keys.inserted, leadingKey: key)
  }

  /// Writes a model with unique values in one statement.
  ///
  /// As long as models are new, an insert that does nothing on a conflict is the fastest. After the
  /// first conflict, the statement that updates the row and returns its key is used.
  /// - Returns: The key of the written row.
  func upsert(_ snapshot: DefaultSnapshot, _ save: EntitySave) throws -> Int64 {
    guard let sql = save.statements.upsert else { return 0 }
    let next = try keys.next(save)
    let values = values(snapshot, save, key: next)
    if !expectsUpsert {
      if try prepared.statement(sql.insertOnly).run(.row(values)) > 0 { return next }
      if refusesUpserts { throw try refusedUpsert(snapshot, save) }
      expectsUpsert = true
    }
    let key = try prepared.statement(sql.insertOrUpdate).integer(.row(values)) ?? next
    expectsUpsert = key != next
    if expectsUpsert {
      keys.giveBack(next, save)
      changes.noteUpdate(RowChanges.Row(root: save.changes.root, key: key), save.upsertedSlots)
    }
    return key
  }

  /// Writes models whose row must be looked up. Models whose unique values refer to other new
  /// models come after those.
  func writeAfterLookUp(
    _ positions: [Int], _ snapshots: [DefaultSnapshot], _ saves: [EntitySave]
  ) throws {
    var incomplete: [Int] = []
    var waiting = positions
    while !waiting.isEmpty {
      var ready = waiting.filter { position in
        saves[position].statements.lookups.allSatisfy { lookup in
          lookup.columns.allSatisfy { !keys.inserted.isUnassigned($0, of: snapshots[position]) }
        }
      }
      if ready.isEmpty { ready = waiting }
      for position in ready {
        let (snapshot, save) = (snapshots[position], saves[position])
        if keys.inserted.hasUnassigned(snapshot, save) { incomplete.append(position) }
        if let existing = try existingRow(like: snapshot, save) {
          if refusesUpserts { throw try refusedUpsert(snapshot, save) }
          keys.assign(existing, to: snapshot, position, save)
          try links.noteStored(snapshot, save, snapshot.upsertSlots, key: existing)
          _ = try update(snapshot, save, snapshot.upsertSlots, key: existing)
        } else {
          keys.assign(try keys.next(save), to: snapshot, position, save)
          try insert(snapshot, save, key: keys[position])
        }
      }
      let written = Set(ready)
      waiting.removeAll(where: written.contains)
    }
    for position in incomplete {
      let snapshot = snapshots[position]
      _ = try update(snapshot, saves[position], snapshot.setReferences, key: keys[position])
    }
  }

  // MARK: Changed rows

  /// Updates a changed row, unless the save deletes it.
  func update(_ snapshot: DefaultSnapshot) throws {
    let save = try prepared.save(of: snapshot)
    guard let key = snapshot.persistentIdentifier.rowKey,
      !deletion.contains(key, root: save.changes.root),
      let found = try update(snapshot, save, snapshot.changedSlots, key: key)
    else { return }
    if !found { deletedRows.append(snapshot.persistentIdentifier) }
  }

  /// - Returns: Whether the row existed; nil if no column has to be written.
  func update(
    _ snapshot: DefaultSnapshot, _ save: EntitySave, _ slots: SlotSet, key: Int64
  ) throws -> Bool? {
    guard let update = save.update(of: slots) else { return nil }
    let values = RowValues(
      snapshot: snapshot, columns: update.columns, keys: keys.inserted, trailingKey: key)
    do {
      guard try prepared.statement(update.sql).run(.row(values)) > 0 else { return false }
      changes.noteUpdate(RowChanges.Row(root: save.changes.root, key: key), update.slots)
      return true
    } catch let error as any DatabaseFailure where error.isUniquenessViolation {
      throw try collision(of: snapshot, save, key: key) ?? error
    }
  }

  // MARK: Unique values of changed rows

  /// The changed rows whose old unique value another model of this save may get.
  func rowsReleasingUniqueValues(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> [DefaultSnapshot] {
    let changed = try request.updated.filter { snapshot in
      try !prepared.save(of: snapshot).uniqueSlots(among: snapshot.changedSlots).isEmpty
    }
    guard !changed.isEmpty else { return [] }
    let others = try request.inserted.contains { try prepared.save(of: $0).isConstrained }
    return others || changed.count > 1 ? changed : []
  }

  /// Sets the unique columns that a changed row will change to null.
  func clearOldUniqueValues(_ snapshot: DefaultSnapshot) throws {
    let save = try prepared.save(of: snapshot)
    guard let key = snapshot.persistentIdentifier.rowKey,
      let sql = save.emptying(save.uniqueSlots(among: snapshot.changedSlots))
    else { return }
    try prepared.statement(sql).run(.integer(key))
  }

  /// Writes the new unique values of a changed row that refers to a new model without a key, so
  /// that new models find them.
  func writeNewUniqueValues(_ snapshot: DefaultSnapshot) throws {
    let save = try prepared.save(of: snapshot)
    guard keys.inserted.hasUnassigned(snapshot, save) else { return }
    let slots = save.uniqueSlots(among: snapshot.changedSlots)
    guard let key = snapshot.persistentIdentifier.rowKey, !slots.isEmpty,
      !save.statements.columns.contains(where: {
        slots.contains($0.slot) && keys.inserted.isUnassigned($0, of: snapshot)
      })
    else { return }
    _ = try update(snapshot, save, slots, key: key)
  }

  // MARK: Rows with the same unique values

  /// The row with the same values in a unique constraint; constraints are tried in their order.
  private func existingRow(like snapshot: DefaultSnapshot, _ save: EntitySave) throws -> Int64? {
    for lookup in save.statements.lookups {
      guard let found = try row(like: snapshot, lookup) else { continue }
      let own = save.statements.entity.number
      if let number = try entityNumber(ofRow: found, save), number != own {
        throw otherEntity(snapshot, save, lookup, holder: (found, number))
      }
      return found
    }
    return nil
  }

  /// The row with the same values in one unique constraint; a null equals nothing.
  private func row(
    like snapshot: DefaultSnapshot, _ lookup: SaveStatements.Lookup
  ) throws -> Int64? {
    let values = RowValues(snapshot: snapshot, columns: lookup.columns, keys: keys.inserted)
    return values.hasNull ? nil : try prepared.statement(lookup.sql).integer(.row(values))
  }

  private func entityNumber(ofRow key: Int64, _ save: EntitySave) throws -> Int? {
    guard let sql = save.statements.entityNumber else { return nil }
    return try prepared.statement(sql).integer(.integer(key)).map { Int($0) }
  }

  /// The error for a changed row with the unique values of another row.
  private func collision(
    of snapshot: DefaultSnapshot, _ save: EntitySave, key: Int64
  ) throws -> (any Error)? {
    let entity = save.statements.entity
    for lookup in save.statements.lookups {
      guard let other = try row(like: snapshot, lookup), other != key else { continue }
      let names = lookup.columns.map(\.path)
      let number = try entityNumber(ofRow: other, save) ?? entity.number
      let holder = PersistentIdentifier(scope: store.plans.scope(number: number), key: other)
      return SwiftDataError.modelValidationFailure.with(
        "\(snapshot.persistentIdentifier) can't have the same value as \(holder), because the "
          + "property is unique. Nothing was saved.",
        entity: entity.name, property: names.joined(separator: ", "))
    }
    return nil
  }

  /// The error for a new model that would be merged with a row, if the context refuses upserts.
  private func refusedUpsert(
    _ snapshot: DefaultSnapshot, _ save: EntitySave
  ) throws -> SwiftDataError {
    let entity = save.statements.entity
    for lookup in save.statements.lookups {
      guard let found = try row(like: snapshot, lookup) else { continue }
      let property = lookup.columns.map(\.path).joined(separator: ", ")
      if changes.isNew(RowChanges.Row(root: save.changes.root, key: found)) {
        return SwiftDataError.uniquenessViolation.with(
          "Two new models of this save have the same value, but the property is unique. Nothing "
            + "was saved. Give one of them another value.", entity: entity.name, property: property
        )
      }
      let number = try entityNumber(ofRow: found, save) ?? entity.number
      return SwiftDataError.uniquenessViolation.with(
        "The property is unique. Nothing was saved. Give the new model another value, or "
          + "change the stored model instead.", entity: entity.name, property: property,
        underlying: UniqueValueHolder(identifier: store.plans.identifier(found, entity: number)))
    }
    return SwiftDataError.uniquenessViolation.with(
      "Nothing was saved.", entity: entity.name)
  }

  /// The error for a new model whose unique values belong to a row of another entity of the
  /// hierarchy: it cannot be merged with that row.
  private func otherEntity(
    _ snapshot: DefaultSnapshot, _ save: EntitySave, _ lookup: SaveStatements.Lookup,
    holder: (key: Int64, number: Int)
  ) -> SwiftDataError {
    let entity = save.statements.entity.name
    let other = store.mapping.entity(number: holder.number)?.name ?? "another entity"
    let identifier = PersistentIdentifier(
      scope: store.plans.scope(number: holder.number), key: holder.key)
    return SwiftDataError.modelValidationFailure.with(
      "A new \(entity) has the unique value of \(identifier), a row of \(other), and can't update it. "
        + "Give one of them another value, or delete the \(other) first. Nothing was saved.",
      entity: entity, property: lookup.columns.map(\.path).joined(separator: ", "))
  }
}
