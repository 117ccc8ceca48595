import SwiftData

/// What a save changes in the rows.
struct SaveChanges {
  /// The rows to store; `nil` for those to remove.
  fileprivate(set) var rows: [PersistentIdentifier: DocumentRow?] = [:]
  /// The permanent identifiers of new rows.
  fileprivate(set) var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
  /// Stored rows whose values are not those of the context.
  fileprivate(set) var corrected: Set<PersistentIdentifier> = []
  /// Rows that delete rules deleted in addition to the request.
  fileprivate(set) var deletedByRules: [PersistentIdentifier] = []
}

/// Finds out what a save changes, so that a save that fails has changed nothing.
///
/// 1. Deleted rows are removed.
/// 2. Changed properties of updated rows replace the stored ones; lists lose and gain members. What
///    other writers stored in other properties stays.
/// 3. A new row with the unique values of a stored one becomes that row.
/// 4. Delete rules and single related rows are applied to the rows of other writers, which the
///    context did not know (`SavePlan+Rules`).
/// 5. Links have to lead to rows, and unique values have to be unique.
///
/// The plan reads the rows through its changes. It is made while no other writer can change the
/// rows, so what it decides holds.
struct SavePlan {
  let rows: DocumentRows
  private(set) var changes = SaveChanges()
  private var uniqueRows: [UniqueKey: PersistentIdentifier] = [:]

  /// - Parameter makeKey: The key of a new row.
  /// - Throws: `DeletedRows`, or a `DocumentStoreError`.
  init(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, of rows: DocumentRows,
    makeKey: (_ entity: String) -> String
  ) throws {
    self.rows = rows
    for snapshot in request.deleted { remove(snapshot.persistentIdentifier) }
    let requested = request.deleted.map(\.persistentIdentifier)
    try update(request.updated)
    try insert(request.inserted, makeKey)
    try applyRules(to: requested)
    try checkLinks()
    try checkUniqueValues()
  }

  /// A plan that deletes rows, with their delete rules.
  /// - Throws: A `DocumentStoreError` if a rule forbids it.
  init(deleting identifiers: [PersistentIdentifier], of rows: DocumentRows) throws {
    self.rows = rows
    for identifier in identifiers { remove(identifier) }
    try applyRules(to: identifiers)
  }

  // MARK: Rows

  private(set) var changed: [PersistentIdentifier: DocumentRow?] {
    get { changes.rows }
    _modify { yield &changes.rows }
  }

  /// A row as it is after the changes that are planned so far.
  func row(_ identifier: PersistentIdentifier) -> DocumentRow? {
    changed[identifier] ?? rows.rows[identifier]
  }

  func exists(_ identifier: PersistentIdentifier) -> Bool { row(identifier) != nil }

  func entity(_ row: DocumentRow) -> EntityShape? { rows.shape.entities[row.entity] }

  /// The rows that refer to a row through a relationship, after the planned changes.
  func referrers(of identifier: PersistentIdentifier) -> Set<Referrer> {
    let known = rows.referrers(of: identifier).filter { changed[$0.row] == nil }
    return known.union(newReferrers[identifier] ?? [])
  }

  /// The links of changed rows.
  private var newReferrers: [PersistentIdentifier: Set<Referrer>] = [:]

  mutating func remove(_ identifier: PersistentIdentifier, byRule: Bool = false) {
    guard let row = row(identifier) else { return }
    forgetLinks(of: row)
    if byRule { changes.deletedByRules.append(identifier) }
    changed.updateValue(nil, forKey: identifier)
  }

  mutating func put(_ row: DocumentRow, isCorrection: Bool = false) {
    if let old = changed[row.identifier] ?? nil { forgetLinks(of: old) }
    if isCorrection { changes.corrected.insert(row.identifier) }
    changed[row.identifier] = row
    for link in entity(row)?.links ?? [] {
      for target in row.links(link.name) {
        newReferrers[target, default: []].insert(
          Referrer(row: row.identifier, property: link.name))
      }
    }
  }

  private mutating func forgetLinks(of row: DocumentRow) {
    for link in entity(row)?.links ?? [] {
      for target in row.links(link.name) {
        newReferrers[target]?.remove(Referrer(row: row.identifier, property: link.name))
      }
    }
  }

  // MARK: Updates

  private mutating func update(_ snapshots: [DefaultSnapshot]) throws {
    let missing = snapshots.map(\.persistentIdentifier).filter { !exists($0) }
    if !missing.isEmpty { throw DeletedRows(missing) }
    for snapshot in snapshots { put(try updated(snapshot)) }
  }

  private mutating func updated(_ snapshot: DefaultSnapshot) throws -> DocumentRow {
    guard var row = row(snapshot.persistentIdentifier), let entity = entity(row) else {
      throw DeletedRows([snapshot.persistentIdentifier])
    }
    let names = snapshot.changedProperties
    let values = try encoded(snapshot, entity)
    for (name, value) in values {
      if !names.contains(name) {
        if row.values[name] != value { changes.corrected.insert(row.identifier) }
      } else if let link = entity.relationships[name], link.isToMany {
        let change = snapshot.changedMembers(of: name)
        let removed = Set(change?.removed ?? [])
        let kept = row.links(name).filter { !removed.contains($0) }
        let members = DocumentValue.members(kept + (change?.added ?? []))
        if members != value { changes.corrected.insert(row.identifier) }
        row.values[name] = members
      } else {
        row.values[name] = value
      }
    }
    return row
  }

  /// The values of the properties that a row stores.
  private func encoded(
    _ snapshot: DefaultSnapshot, _ entity: EntityShape
  ) throws -> [String: DocumentValue] {
    let all = try DocumentEncoder.values(of: snapshot, storeIdentifier: rows.storeIdentifier)
    var values: [String: DocumentValue] = [:]
    for name in entity.attributes.keys { values[name] = all[name] ?? .null }
    for link in entity.links {
      let value = all[link.name] ?? .null
      values[link.name] = link.isToMany ? .members(value.identifiers) : value
    }
    return values
  }

  // MARK: New rows

  private mutating func insert(
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
      guard let identifier = changes.permanent[snapshot.persistentIdentifier], var row = row(identifier),
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

  /// New rows that became stored ones.
  private var renamed: [PersistentIdentifier: PersistentIdentifier] = [:]

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

  // MARK: Unique values

  /// The row that has the unique values of a new one.
  private func match(
    of row: DocumentRow, _ entity: EntityShape?
  ) throws -> PersistentIdentifier? {
    var found: PersistentIdentifier?
    for constraint in entity?.constraints ?? [] {
      guard let key = UniqueKey(constraint, of: row), let other = holder(of: key) else { continue }
      if other.entityName != row.entity {
        throw duplicate(row, constraint, "A row of the entity \(other.entityName) has these values.")
      }
      if let found, found != other {
        throw duplicate(row, constraint, "Other unique values of the new row are those of another row.")
      }
      found = other
    }
    return found
  }

  private func holder(of key: UniqueKey) -> PersistentIdentifier? {
    if let new = uniqueRows[key], exists(new) { return new }
    guard let stored = rows.row(with: key), let row = row(stored),
      UniqueKey(key.constraint, of: row) == key
    else { return nil }
    return stored
  }

  private func duplicate(
    _ row: DocumentRow, _ constraint: UniqueConstraint, _ reason: String
  ) -> DocumentStoreError {
    DocumentStoreError(
      .duplicateValue, "\(reason) Nothing was saved.", entity: row.entity, row: row.key,
      property: constraint.properties.joined(separator: ", "))
  }

  private mutating func noteUniqueValues(of row: DocumentRow) {
    for constraint in entity(row)?.constraints ?? [] {
      if let key = UniqueKey(constraint, of: row) { uniqueRows[key] = row.identifier }
    }
  }

  /// Attributes of the new row win, to-one relationships where they were set; members are added.
  private mutating func merge(_ new: DocumentRow, into identifier: PersistentIdentifier) {
    guard var row = row(identifier), let entity = entity(row) else { return }
    for name in entity.attributes.keys { row.values[name] = new.values[name] }
    for link in entity.links {
      let targets = new.links(link.name)
      if targets.isEmpty { continue }
      row.setLinks(link, link.isToMany ? row.links(link.name) + targets : targets)
    }
    put(row, isCorrection: row.values != new.values)
    noteUniqueValues(of: row)
  }

  private mutating func checkUniqueValues() throws {
    var holders: [UniqueKey: PersistentIdentifier] = [:]
    for case let row? in changed.values.sorted(by: SavePlan.inOrder) {
      for constraint in entity(row)?.constraints ?? [] {
        guard let key = UniqueKey(constraint, of: row) else { continue }
        let other = holders[key] ?? holder(of: key)
        if let other, other != row.identifier {
          throw duplicate(
            row, constraint, "Another row (\(self.row(other)?.name ?? "")) has the same unique values.")
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
