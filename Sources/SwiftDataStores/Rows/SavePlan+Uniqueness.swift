import SwiftData

/// Unique values: which row has those of a new one, and whether two rows have the same.
extension SavePlan {
  /// The row that has the unique values of a new one.
  func match(
    of row: DocumentRow, _ entity: EntityShape?
  ) throws -> PersistentIdentifier? {
    var found: PersistentIdentifier?
    for constraint in entity?.constraints ?? [] {
      guard let key = UniqueKey(constraint, of: row), let other = holder(of: key) else { continue }
      if other.entityName != row.entity {
        throw duplicate(
          row, constraint, "A row of the entity \(other.entityName) has these values.")
      }
      if let found, found != other {
        throw duplicate(
          row, constraint, "Other unique values of the new row are those of another row.")
      }
      found = other
    }
    return found
  }

  /// - Throws: `SwiftDataError.uniquenessViolation` if another row has the unique values of a new one.
  func refuseUpsert(of row: DocumentRow) throws {
    for constraint in entity(row)?.constraints ?? [] {
      guard let key = UniqueKey(constraint, of: row), let other = holder(of: key) else { continue }
      throw SwiftDataError.refusedUpsert(
        entity: row.entity, property: constraint.properties.joined(separator: ", "),
        holder: rows.rows[other] == nil ? nil : other)
    }
  }

  private func holder(of key: UniqueKey) -> PersistentIdentifier? {
    // The save may have given other values to the row that had these.
    [uniqueRows[key], rows.row(with: key)].lazy.compactMap(\.self).first { has($0, key) }
  }

  private func has(_ identifier: PersistentIdentifier, _ key: UniqueKey) -> Bool {
    row(identifier).flatMap { UniqueKey(key.constraint, of: $0) } == key
  }

  private func duplicate(
    _ row: DocumentRow, _ constraint: UniqueConstraint, _ reason: String
  ) -> DocumentStoreError {
    DocumentStoreError(
      .duplicateValue, "\(reason) Nothing was saved.", entity: row.entity, row: row.key,
      property: constraint.properties.joined(separator: ", "))
  }

  mutating func noteUniqueValues(of row: DocumentRow) {
    for constraint in entity(row)?.constraints ?? [] {
      if let key = UniqueKey(constraint, of: row) { uniqueRows[key] = row.identifier }
    }
  }

  /// Attributes of the new row win, to-one relationships where they were set; members are added.
  mutating func merge(_ new: DocumentRow, into identifier: PersistentIdentifier) {
    guard var row = row(identifier), let entity = entity(row) else { return }
    for name in entity.attributes.keys { row.values[name] = new.values[name] }
    for link in entity.links {
      let targets = new.links(link.name)
      if targets.isEmpty { continue }
      row.setLinks(link, link.isToMany ? row.links(link.name) + targets : targets)
      noteLink(link, of: identifier)
    }
    put(row, isCorrection: row.values != new.values)
    noteUniqueValues(of: row)
  }

  mutating func checkUniqueValues() throws {
    var holders: [UniqueKey: PersistentIdentifier] = [:]
    for case let row? in changed.values.sorted(by: SavePlan.inOrder) {
      for constraint in entity(row)?.constraints ?? [] {
        guard let key = UniqueKey(constraint, of: row) else { continue }
        // All changed rows are compared here; those that keep their values are found in the stored ones.
        let other = holders[key] ?? rows.row(with: key)
        if let other, other != row.identifier, has(other, key) {
          let name = self.row(other)?.name ?? ""
          throw duplicate(row, constraint, "Another row (\(name)) has the same unique values.")
        }
        holders[key] = row.identifier
      }
    }
  }

  private static func inOrder(_ a: DocumentRow?, _ b: DocumentRow?) -> Bool {
    guard let a, let b else { return b != nil }
    return a.identifier < b.identifier
  }
}
