import OpenSwiftDataSQLSyntax

// Finds the rows with the unique values of a model, and makes the errors that name them.

extension RowWriter {
  /// The row with the same values in a unique constraint; constraints are tried in their order.
  /// - Throws: An error if the row is of another entity, unless all such rows are refused.
  func existingRow(like new: RowCells, _ save: EntitySave) throws -> Int64? {
    for lookup in save.statements.lookups {
      guard let found = try row(like: new, lookup) else { continue }
      let own = save.statements.entity.number
      if !refusesUpserts, let number = try entityNumber(ofRow: found, save), number != own {
        throw otherEntity(save, lookup, holder: (found, number))
      }
      return found
    }
    return nil
  }

  /// Where stored rows lead, by key, before new models become these rows; empty if that is not needed.
  func earlierLinks(
    of rows: [Int64], _ save: EntitySave
  ) throws -> [Int64: SaveConsequences.EarlierLinks] {
    if !notesEarlierLinks || save.toOnes.isEmpty { return [:] }
    let selection = store.plans.selection(
      of: save.statements.entity, slots: Set(save.toOnes.map(\.slot)))
    let found = try prepared.session.statement(selection.byKeys)
      .rows(.list(store.driver.dialect.list(rows)), store.reading(selection)).rows.snapshots
    var links: [Int64: SaveConsequences.EarlierLinks] = [:]
    for row in found {
      guard let key = row.persistentIdentifier.rowKey else { continue }
      for link in save.toOnes {
        let destination: PersistentIdentifier? =
          switch row.value(link.slot) {
          case .identifier(let identifier): identifier
          case .integer(let key):
            store.destination(of: row.descriptor, slot: link.slot, key: key)
          case .null, .real, .text, .blob, .uuid, .reference: nil
          }
        links[key, default: [:]][link.slot] = .some(destination)
      }
    }
    return links
  }

  /// The row with the same values in one unique constraint; a null equals nothing.
  private func row(
    like other: RowCells, _ lookup: SaveStatements.Lookup
  ) throws -> Int64? {
    let values = RowValues(row: other, cells: lookup.cells, keys: keys.inserted)
    return values.hasNull ? nil : try prepared.statement(lookup.sql).integer(.row(values))
  }

  private func entityNumber(ofRow key: Int64, _ save: EntitySave) throws -> Int? {
    guard let sql = save.statements.entityNumber else { return nil }
    return try prepared.statement(sql).integer(.integer(key)).map { Int($0) }
  }

  /// The error for a changed row with the unique values of another row.
  func collision(
    of snapshot: DefaultSnapshot, _ save: EntitySave, key: Int64
  ) throws -> (any Error)? {
    let entity = save.statements.entity
    for lookup in save.statements.lookups {
      guard let other = try row(like: snapshot.rowCells, lookup), other != key else { continue }
      let names = lookup.columns.map(\.path)
      let number = try entityNumber(ofRow: other, save) ?? entity.number
      let holder = PersistentIdentifier(scope: store.plans.scope(number: number), key: other)
      return SwiftDataError.modelValidationFailure.with(
        "\(snapshot.persistentIdentifier) can't have the same value as \(holder), because the "
          + "property is unique. Nothing was saved.",
        entity: entity.name, property: names.joined(separator: ", "),
        because: .uniqueValueTaken(entity: entity.name, properties: names, holder: holder))
    }
    return nil
  }

  /// The error for a new model that would be merged with a row, if the context refuses upserts.
  func refusedUpsert(_ new: RowCells, _ save: EntitySave) throws -> SwiftDataError {
    let entity = save.statements.entity
    for lookup in save.statements.lookups {
      guard let found = try row(like: new, lookup) else { continue }
      let property = lookup.columns.map(\.path).joined(separator: ", ")
      if changes.isNew(RowChanges.Row(root: save.changes.root, key: found)) {
        return .refusedUpsert(entity: entity.name, property: property, holder: nil)
      }
      let number = try entityNumber(ofRow: found, save) ?? entity.number
      return .refusedUpsert(
        entity: entity.name, property: property,
        holder: store.plans.identifier(found, entity: number))
    }
    return SwiftDataError.uniquenessViolation.with(
      "Nothing was saved.", entity: entity.name)
  }

  /// The error for a new model whose unique values belong to a row of another entity of the
  /// hierarchy: it cannot be merged with that row.
  private func otherEntity(
    _ save: EntitySave, _ lookup: SaveStatements.Lookup, holder: (key: Int64, number: Int)
  ) -> SwiftDataError {
    let entity = save.statements.entity.name
    let other = store.mapping.entity(number: holder.number)?.name ?? "another entity"
    let identifier = PersistentIdentifier(
      scope: store.plans.scope(number: holder.number), key: holder.key)
    let names = lookup.columns.map(\.path)
    return SwiftDataError.modelValidationFailure.with(
      "A new \(entity) has the unique value of \(identifier), a row of \(other), and can't update it. "
        + "Give one of them another value, or delete the \(other) first. Nothing was saved.",
      entity: entity, property: names.joined(separator: ", "),
      because: .uniqueValueTaken(entity: entity, properties: names, holder: identifier))
  }
}

extension RowWriter {
  // MARK: Unique values of changed rows

  /// The changed rows whose old unique value another model of this save may get.
  func rowsReleasingUniqueValues(_ request: SaveRequest) throws -> [DefaultSnapshot] {
    let changed = try request.updated.filter { snapshot in
      try !prepared.save(of: snapshot).uniqueSlots(among: snapshot.releasedSlots).isEmpty
    }
    guard !changed.isEmpty else { return [] }
    let others = try request.inserted.indices.contains {
      try prepared.save(of: request.inserted.descriptor(at: $0)).isConstrained
    }
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
        slots.contains($0.slot) && keys.inserted.isUnassigned($0.source, of: snapshot.rowCells)
      })
    else { return }
    _ = try update(snapshot, save, slots, key: key)
  }
}
