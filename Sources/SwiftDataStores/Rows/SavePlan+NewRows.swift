import SwiftData

/// New rows, which get their keys here, or become stored rows with the same unique values.
extension SavePlan {
  mutating func insert(
    _ snapshots: [DefaultSnapshot], _ makeKey: (String) -> String
  ) throws {
    for snapshot in snapshots {
      let name = snapshot.persistentIdentifier.entityName
      var key = makeKey(name)
      var identifier = try newIdentifier(name, key)
      while exists(identifier) {
        key = makeKey(name)
        identifier = try newIdentifier(name, key)
      }
      changes.permanent[snapshot.persistentIdentifier] = identifier
      changed[identifier] = DocumentRow(identifier: identifier, key: key, values: [:])
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
      resolveLinks(of: &row)
      if let match = try match(of: row, entity(row)) {
        merge(row, into: match)
        changes.permanent[snapshot.persistentIdentifier] = match
        changed[row.identifier] = .some(nil)
        renamed[row.identifier] = match
      } else {
        put(row)
        noteUniqueValues(of: row)
      }
    }
    followRenamedRows()
    for identifier in renamed.keys { changed.removeValue(forKey: identifier) }
  }

  private func newIdentifier(_ entity: String, _ key: String) throws -> PersistentIdentifier {
    try PersistentIdentifier.identifier(
      for: rows.storeIdentifier, entityName: entity, primaryKey: key)
  }

  /// Replaces the identifiers of new rows.
  private func resolveLinks(of row: inout DocumentRow) {
    for link in entity(row)?.links ?? [] {
      let targets = row.links(link.name)
      if targets.isEmpty { continue }
      row.setLinks(link, targets.map { changes.permanent[$0] ?? $0 })
    }
  }

  /// Rows may link to new rows, and to new rows that became stored ones after the link was written.
  private mutating func followRenamedRows() {
    for case let row? in Array(changed.values) {
      var resolved = row
      for link in entity(row)?.links ?? [] {
        let targets = row.links(link.name)
        let current = targets.map { target in
          let target = changes.permanent[target] ?? target
          return renamed[target] ?? target
        }
        if targets != current { resolved.setLinks(link, current) }
      }
      if resolved != row { put(resolved) }
    }
  }
}
