import SwiftData

extension DocumentRows {
  /// These rows with the content of a document that was read again.
  ///
  /// Only what differs is replaced, so that the snapshots of other rows stay.
  /// - Parameter all: All rows of the document.
  /// - Returns: The rows, and what differs.
  /// - Throws: A `DocumentStoreError` if the rows contradict each other.
  func replaced(
    by all: [DocumentRow]
  ) throws -> (rows: DocumentRows, changes: DataStoreExternalChanges) {
    var new: [PersistentIdentifier: DocumentRow] = [:]
    for row in all {
      if let other = new.updateValue(row, forKey: row.identifier) {
        throw DocumentStoreError(
          .duplicateValue,
          "The key means the same as \"\(other.key)\". Give one of the rows another key.",
          entity: row.entity, row: row.key)
      }
    }
    var rows = self
    var changes = DataStoreExternalChanges()
    for identifier in self.rows.keys where new[identifier] == nil {
      changes.deleted.append(identifier)
      rows.remove(identifier)
    }
    let changed = all.filter { self.rows[$0.identifier] != $0 }
    for row in changed { rows.remove(row.identifier) }
    for row in changed {
      try rows.checkUniqueValues(of: row)
      rows.insert(row)
      let isNew = self.rows[row.identifier] == nil
      if isNew { changes.inserted.append(row.identifier) }
      if !isNew { changes.updated.append(row.identifier) }
    }
    for row in changed { try rows.checkLinks(of: row) }
    for identifier in changes.deleted {
      if let referrer = rows.referrers(of: identifier).first, let row = rows.rows[referrer.row] {
        try rows.checkLinks(of: row)
      }
    }
    changes.updated += relatedRows(of: changes, in: rows)
    return (rows, changes)
  }

  private func checkUniqueValues(of row: DocumentRow) throws {
    for constraint in shape.entities[row.entity]?.constraints ?? [] {
      guard let key = UniqueKey(constraint, of: row), let other = self.row(with: key),
        other != row.identifier
      else { continue }
      throw DocumentStoreError(
        .duplicateValue,
        "The row \(rows[other]?.name ?? "") has the same unique value. Change or remove one of them.",
        entity: row.entity, row: row.key, property: constraint.properties.joined(separator: ", "))
    }
  }

  private func checkLinks(of row: DocumentRow) throws {
    for link in shape.entities[row.entity]?.links ?? [] {
      for target in row.links(link.name) {
        guard rows[target] != nil else {
          throw DocumentStoreError(
            .invalidLink,
            "The link leads to no row: the document has no \(target.entityName) with that key.",
            entity: row.entity, row: row.key, property: link.name)
        }
        guard link.isExclusive else { continue }
        let other = referrers(of: target).first {
          $0.row != row.identifier && shape.belongs($0, to: link)
        }
        if let other = other.flatMap({ rows[$0.row] }) {
          throw DocumentStoreError(
            .invalidLink,
            "\(other.name) refers to the same row, which only one row may do. Remove one of the links.",
            entity: row.entity, row: row.key, property: link.name)
        }
      }
    }
  }

  /// Rows whose lists changed because rows that refer to them did.
  private func relatedRows(
    of changes: DataStoreExternalChanges, in new: DocumentRows
  ) -> [PersistentIdentifier] {
    func targets(_ identifier: PersistentIdentifier, _ rows: DocumentRows) -> Set<
      PersistentIdentifier
    > {
      guard let row = rows.rows[identifier] else { return [] }
      return Set(shape.entities[row.entity]?.links.flatMap { row.links($0.name) } ?? [])
    }
    var related: Set<PersistentIdentifier> = []
    for identifier in changes.inserted + changes.updated + changes.deleted {
      related.formUnion(targets(identifier, self).symmetricDifference(targets(identifier, new)))
    }
    return related.subtracting(changes.updated).subtracting(changes.inserted)
      .filter { new.rows[$0] != nil }.sorted()
  }
}
