import SwiftData

/// What a save changes in the rows.
struct SaveChanges {
  /// The rows to store; `nil` for those to remove.
  var rows: [PersistentIdentifier: DocumentRow?] = [:]
  /// The permanent identifiers of new rows.
  var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
  /// The temporary identifiers of new rows that became stored ones, and the links of these before, if the request
  /// asks for them.
  var merged: [PersistentIdentifier: EarlierRowLinks?] = [:]
  /// Stored rows whose values are not those of the context.
  var corrected: Set<PersistentIdentifier> = []
  /// Rows that delete rules deleted in addition to the request.
  var deletedByRules: [PersistentIdentifier] = []
}

/// Finds out what a save changes, so that a save that fails has changed nothing.
///
/// 1. Deleted rows are removed.
/// 2. Changed properties of updated rows replace the stored ones; lists lose and gain members. What
///    other writers stored in other properties stays.
/// 3. A new row with the unique values of a stored one becomes that row.
/// 4. Delete rules and single related rows are applied to the rows of other writers, which the
///    context did not know (`SavePlan+Rules`).
/// 5. Links have to lead to rows, unique values have to be unique, and changed lists need as many members as
///    their declarations ask for (`SavePlan+Counts`).
/// 6. Members of values that the models do not have stay with the changed values.
/// 7. The changed rows are read back, so that no save stores a row that no fetch could read.
///
/// The plan reads the rows through its changes. It is made while no other writer can change the
/// rows, so what it decides holds.
struct SavePlan {
  let rows: DocumentRows
  var changes = SaveChanges()
  /// The unique values of new rows, of rows that new ones became, and of updated rows.
  var uniqueRows: [UniqueKey: PersistentIdentifier] = [:]
  /// The single related rows that the request gives to a row, of which each belongs to one row.
  var takenLinks: [Referrer] = []
  /// The derived single relationships that the request sets to nil.
  var emptiedLinks: [Referrer] = []
  /// Those that are nil in the context because their row was set elsewhere or deleted.
  var displacedLinks: [Referrer] = []
  /// The removed rows, with the links that they had last.
  private(set) var removed: [PersistentIdentifier: DocumentRow] = [:]
  /// New rows that became stored ones.
  var renamed: [PersistentIdentifier: PersistentIdentifier] = [:]

  /// - Parameter makeKey: The key of a new row.
  /// - Throws: `DeletedRows`, `SwiftDataError.uniquenessViolation`, `SwiftDataError.modelValidationFailure` for
  ///   numbers of members, or a `DocumentStoreError`.
  init(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, of rows: DocumentRows,
    makeKey: (_ entity: String) -> String
  ) throws {
    self.rows = rows
    for snapshot in request.deleted {
      remove(snapshot.persistentIdentifier)
      unlink(snapshot)
    }
    let requested = request.deleted.map(\.persistentIdentifier)
    try update(request.updated)
    try insert(request, makeKey)
    try applyRules(to: requested)
    try checkLinks()
    try checkUniqueValues()
    try checkCounts()
    let warnings = keepUnknownMembers()
    try checkValues()
    for warning in warnings { WarningLog.write(warning) }
  }

  /// A plan that deletes rows, with their delete rules.
  /// - Throws: A `DocumentStoreError` if a rule forbids it, or `SwiftDataError.modelValidationFailure` for
  ///   numbers of members.
  init(deleting identifiers: [PersistentIdentifier], of rows: DocumentRows) throws {
    self.rows = rows
    for identifier in identifiers { remove(identifier) }
    try applyRules(to: identifiers)
    try checkCounts()
  }

  /// - Returns: Warnings about those that are not kept although their value may still be there.
  private mutating func keepUnknownMembers() -> [String] {
    var warnings: [String] = []
    for case (let identifier, var row?) in changed {
      guard let old = rows.rows[identifier], !old.unknownMembers.isEmpty else { continue }
      row.unknownMembers = [:]
      for (name, unknown) in old.unknownMembers {
        var isAmbiguous = false
        let moved = unknown.moved(
          from: old.values[name] ?? .null, to: row.values[name] ?? .null, isAmbiguous: &isAmbiguous)
        if !moved.isEmpty { row.unknownMembers[name] = moved }
        if isAmbiguous {
          warnings.append(
            "A save removed members of \(row.name).\(name) that its type does not have, because changed and "
              + "removed elements could not be told apart.")
        }
      }
      for name in membersThatChangeValues(of: row).sorted() {
        row.unknownMembers[name] = nil
        warnings.append(
          "A save removed members of \(row.name).\(name) that its type reads after the change.")
      }
      changed[identifier] = row
    }
    return warnings
  }

  /// A type may read some members only if others have certain values.
  /// - Returns: The properties whose values would be others with their unknown members.
  private func membersThatChangeValues(of row: DocumentRow) -> [String] {
    var reader = RowReader(shape: rows.shape, storeIdentifier: rows.storeIdentifier)
    reader.findsUnknownMembers = false
    func values(_ found: [String: DocumentValue]) -> [String: DocumentValue]? {
      entity(row).flatMap { try? reader.row($0, row.key, found) { _ in nil }.values }
    }
    let complete = values(row.documentValues)
    let others = row.unknownMembers.keys.filter { complete?[$0] != row.values[$0] }
    if others.isEmpty { return [] }
    // The encoding of a value may differ each time.
    let plain = values(row.values)
    return others.filter { complete?[$0] != plain?[$0] }
  }

  /// A type may encode a value that it does not decode.
  private func checkValues() throws {
    let reader = RowReader(shape: rows.shape, storeIdentifier: rows.storeIdentifier)
    for case let row? in changed.values {
      guard let entity = entity(row) else { continue }
      do {
        _ = try reader.row(entity, row.key, row.values) { rows.rows[$0] }
      } catch var error as DocumentStoreError {
        error.explanation =
          "The saved value could not be read again: \(error.explanation) Set a value that its type decodes. "
          + "Nothing was saved."
        throw error
      }
    }
  }

  // MARK: Rows

  var changed: [PersistentIdentifier: DocumentRow?] {
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
    removed[identifier] = row
    changed.updateValue(nil, forKey: identifier)
  }

  /// Removes the links that the context had removed from a row before it deleted the row. Delete
  /// rules do not concern them.
  private mutating func unlink(_ snapshot: DefaultSnapshot) {
    guard var row = removed[snapshot.persistentIdentifier] else { return }
    let names = snapshot.changedProperties
    for link in entity(row)?.links ?? [] where names.contains(link.name) {
      // The context has applied the rules to a single row that it set instead of the stored one.
      let lost = Set(
        link.isToMany ? snapshot.changedMembers(of: link.name)?.removed ?? [] : row.links(link.name)
      )
      row.setLinks(link, row.links(link.name).filter { !lost.contains($0) })
    }
    removed[row.identifier] = row
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

  /// Notes that the request sets a relationship.
  mutating func noteLink(_ link: RelationshipShape, of row: PersistentIdentifier) {
    if link.isExclusive { takenLinks.append(Referrer(row: row, property: link.name)) }
  }

  private mutating func forgetLinks(of row: DocumentRow) {
    for link in entity(row)?.links ?? [] {
      for target in row.links(link.name) {
        newReferrers[target]?.remove(Referrer(row: row.identifier, property: link.name))
      }
    }
  }
}
