import SwiftData

/// New rows, which get their keys here, or become stored rows with the same unique values.
extension SavePlan {
  mutating func insert(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ makeKey: (String) -> String
  ) throws {
    let snapshots = request.inserted
    for snapshot in snapshots {
      let name = snapshot.persistentIdentifier.entityName
      guard rows.shape.entities[name] != nil else {
        throw DocumentStoreError(
          .unknownContent,
          "The save has a new row of an entity that the store does not have. Add its class to the schema of the "
            + "store. Nothing was saved.", entity: name)
      }
      var key = makeKey(name)
      var identifier = try newIdentifier(name, key)
      while exists(identifier) {
        key = makeKey(name)
        identifier = try newIdentifier(name, key)
      }
      changes.permanent[snapshot.persistentIdentifier] = identifier
      changed[identifier] = DocumentRow(identifier: identifier, key: key, values: [:])
    }
    if !snapshots.isEmpty {
      for snapshot in request.updated { try noteNewValues(of: snapshot.persistentIdentifier) }
    }
    // Links to new rows that become stored ones follow them; such rows are known only after all
    // attributes have been compared.
    var new: [(snapshot: DefaultSnapshot, row: DocumentRow)] = []
    for snapshot in snapshots {
      guard let identifier = changes.permanent[snapshot.persistentIdentifier],
        var row = row(identifier),
        let entity = entity(row)
      else { continue }
      row.values = try encoded(snapshot, entity)
      new.append((snapshot, row))
    }
    for (snapshot, var row) in new {
      row = try resolved(row)
      if request.refusesUpserts { try refuseUpsert(of: row) }
      if let match = try match(of: row, entity(row)) {
        if rows.rows[match] != nil {
          let links = request.notesEarlierLinks ? links(of: match) : nil
          changes.merged.updateValue(links, forKey: snapshot.persistentIdentifier)
        }
        merge(row, into: match)
        changes.permanent[snapshot.persistentIdentifier] = match
        changed[row.identifier] = .some(nil)
        renamed[row.identifier] = match
      } else {
        put(row)
        noteUniqueValues(of: row)
        for link in entity(row)?.links ?? [] { noteLink(link, of: row.identifier) }
      }
    }
    try followRenamedRows()
    for identifier in renamed.keys { changed.removeValue(forKey: identifier) }
  }

  /// A new row may have the unique values that the save gives to an updated one.
  private mutating func noteNewValues(of identifier: PersistentIdentifier) throws {
    guard let row = row(identifier), entity(row)?.constraints.isEmpty == false else { return }
    let resolved = try resolved(row)
    if resolved != row { put(resolved) }
    noteUniqueValues(of: resolved)
  }

  /// What a stored row is linked to before a new one becomes it.
  private func links(of identifier: PersistentIdentifier) -> EarlierRowLinks? {
    guard let row = row(identifier), let entity = entity(row) else { return nil }
    var related: [String: Set<PersistentIdentifier>] = [:]
    for link in entity.links { related[link.name] = Set(row.links(link.name)) }
    var owners: [String: Set<PersistentIdentifier>] = [:]
    for referrer in referrers(of: identifier) {
      let side = entity.derived.first { rows.shape.isStoredSide(referrer, of: $0) }
      if let side {
        related[side.name, default: []].insert(referrer.row)
      } else {
        owners[referrer.property, default: []].insert(referrer.row)
      }
    }
    return EarlierRowLinks(related: related, owners: owners)
  }

  private func newIdentifier(_ entity: String, _ key: String) throws -> PersistentIdentifier {
    try PersistentIdentifier.identifier(
      for: rows.storeIdentifier, entityName: entity, primaryKey: key)
  }

  /// Rows may name new rows, and new rows that became stored ones after the row was written.
  private mutating func followRenamedRows() throws {
    for case let row? in Array(changed.values) {
      let resolved = try resolved(row)
      if resolved != row { put(resolved) }
    }
  }

  /// The row with the identifiers that new rows have now, in links and in attributes.
  private func resolved(_ row: DocumentRow) throws -> DocumentRow {
    guard let entity = entity(row) else { return row }
    var resolved = row
    for link in entity.links {
      let targets = row.links(link.name)
      let current = targets.map(current)
      if targets != current { resolved.setLinks(link, current) }
    }
    for name in entity.attributes.keys {
      resolved.values[name] = try row.values[name]?.stored(current)
    }
    return resolved
  }

  /// The identifier of the row that a model has after the save.
  private func current(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
    let target = changes.permanent[identifier] ?? identifier.resolved
    return renamed[target] ?? target
  }
}
