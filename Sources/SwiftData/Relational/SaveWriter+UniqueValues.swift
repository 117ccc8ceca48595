/// Unique constraints in a save: finds rows with a model's unique values, and moves values from one
/// model to another.
extension SaveWriter {
  /// The changed rows whose old unique value another model of this save may get.
  mutating func rowsReleasingUniqueValues(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> [DefaultSnapshot] {
    let changed = try request.updated.filter { snapshot in
      !uniqueSlots(snapshot, try plan(of: snapshot)).isEmpty
    }
    guard !changed.isEmpty else { return [] }
    let others = try request.inserted.contains { try isConstrained($0) }
    return others || changed.count > 1 ? changed : []
  }

  /// Sets the unique columns that a changed row will change to null.
  mutating func clearOldUniqueValues(_ snapshot: DefaultSnapshot) throws {
    let save = try plan(of: snapshot)
    guard let key = snapshot.persistentIdentifier.rowKey,
      let sql = save.emptying(uniqueSlots(snapshot, save))
    else { return }
    try prepared(sql).run(.integer(key))
  }

  /// Writes the new unique values of a changed row, so that new models find them.
  mutating func writeNewUniqueValues(_ snapshot: DefaultSnapshot) throws {
    let save = try plan(of: snapshot)
    let slots = uniqueSlots(snapshot, save)
    guard let key = snapshot.persistentIdentifier.rowKey, !slots.isEmpty,
      !save.statements.columns.contains(where: {
        slots.contains($0.slot) && refersToUnassignedKey(snapshot, $0)
      })
    else { return }
    _ = try runUpdate(snapshot, save, slots, key: key)
  }

  /// The error for a changed row with the unique values of another row.
  mutating func collision(
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
          + "property is unique. Nothing of this save was stored.",
        entity: entity.name, property: names.joined(separator: ", "))
    }
    return nil
  }

  /// The row with the same values in a unique constraint; constraints are tried in their order.
  mutating func existingRow(
    like snapshot: DefaultSnapshot, _ save: EntitySave
  ) throws -> Int64? {
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

  /// The error for a new model that would be merged with a row, if the context refuses upserts.
  mutating func refusedUpsert(
    _ snapshot: DefaultSnapshot, _ save: EntitySave
  ) throws -> SwiftDataError {
    let entity = save.statements.entity
    for lookup in save.statements.lookups {
      guard let found = try row(like: snapshot, lookup) else { continue }
      let property = lookup.columns.map(\.path).joined(separator: ", ")
      if changes.isNew(RowChanges.Row(root: save.changes.root, key: found)) {
        return SwiftDataError.uniquenessViolation.with(
          "Two new models of this save have the same value, and the property is unique. Nothing of this save "
            + "was stored. Give one of them another value.", entity: entity.name, property: property
        )
      }
      let number = try entityNumber(ofRow: found, save) ?? entity.number
      return SwiftDataError.uniquenessViolation.with(
        "The property is unique. Nothing of this save was stored. Give the new model another value, or "
          + "change the stored one instead.", entity: entity.name, property: property,
        underlying: UniqueValueHolder(identifier: store.plans.identifier(found, entity: number)))
    }
    return SwiftDataError.uniquenessViolation.with(
      "Nothing of this save was stored.", entity: entity.name)
  }

  private mutating func entityNumber(ofRow key: Int64, _ save: EntitySave) throws -> Int? {
    guard let sql = save.statements.entityNumber else { return nil }
    return try prepared(sql).integer(.integer(key)).map { Int($0) }
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
      "A new \(entity) has the unique value of \(identifier), a row of \(other), and can't become it. "
        + "Give one of them another value, or delete the \(other) first. Nothing of this save was stored.",
      entity: entity, property: lookup.columns.map(\.path).joined(separator: ", "))
  }

  /// The row with the same values in one unique constraint; a null equals nothing.
  mutating func row(
    like snapshot: DefaultSnapshot, _ lookup: SaveStatements.Lookup
  ) throws -> Int64? {
    let values = RowValues(snapshot: snapshot, columns: lookup.columns, keys: insertedKeys)
    return values.hasNull ? nil : try prepared(lookup.sql).integer(.row(values))
  }

  mutating func isConstrained(_ snapshot: DefaultSnapshot) throws -> Bool {
    try !plan(of: snapshot).statements.lookups.isEmpty
  }

  func uniqueSlots(_ snapshot: DefaultSnapshot, _ save: EntitySave) -> SlotSet {
    var slots = SlotSet()
    for column in save.statements.lookups.lazy.flatMap(\.columns)
    where snapshot.changedSlots.contains(column.slot) {
      slots.insert(column.slot)
    }
    return slots
  }
}
