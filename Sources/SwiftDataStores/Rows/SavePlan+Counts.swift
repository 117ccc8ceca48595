import SwiftData

/// Numbers of members. The context has counted the lists of new models only: another writer may have changed
/// those of stored rows since it read them.
extension SavePlan {
  /// - Throws: `SwiftDataError.modelValidationFailure` with all changed lists that have too few or too many members.
  func checkCounts() throws {
    if !rows.shape.hasCountedLists { return }
    // Errors name new rows as the context does. New models with the same unique values are one row.
    lazy var temporary = Dictionary(
      changes.permanent.map { ($0.value, $0.key) }, uniquingKeysWith: min)
    let failures = changedLists().sorted { ($0.row, $0.property) < ($1.row, $1.property) }
      .compactMap { list in
        failure(list) { rows.rows[$0] == nil ? temporary[$0] ?? $0 : $0 }
      }
    try SwiftDataError.throwAll(failures)
  }

  /// The lists with a limit that get or lose members, and those of new rows.
  private func changedLists() -> Set<Referrer> {
    var lists: Set<Referrer> = []
    for (identifier, new) in changed {
      guard let shape = rows.shape.entities[identifier.entityName] else { continue }
      let old = rows.rows[identifier]
      if new != nil, old == nil {
        for list in shape.counted { lists.insert(Referrer(row: identifier, property: list.name)) }
      }
      for link in shape.links {
        let (before, after) = (Set(old?.links(link.name) ?? []), Set(new?.links(link.name) ?? []))
        if before == after { continue }
        let side = Referrer(row: identifier, property: link.name)
        if link.isCounted { lists.insert(side) }
        for target in before.symmetricDifference(after) {
          for list in rows.shape.entities[target.entityName]?.counted ?? []
          where !list.isStored && rows.shape.isStoredSide(side, of: list) {
            lists.insert(Referrer(row: target, property: list.name))
          }
        }
      }
    }
    return lists
  }

  /// What is wrong with the number of members of a list; nil for a row that the save removes.
  /// - Parameter named: The identifier of a row in the error.
  private func failure(
    _ list: Referrer, named: (PersistentIdentifier) -> PersistentIdentifier
  ) -> SwiftDataError? {
    guard let row = row(list.row), let shape = entity(row)?.relationships[list.property] else {
      return nil
    }
    let count =
      shape.isStored
      ? row.links(shape.name).count
      : referrers(of: row.identifier).count { rows.shape.isStoredSide($0, of: shape) }
    return SwiftDataError.wrongCount(
      of: named(row.identifier), property: shape.name, count: count, minimum: shape.minimum,
      maximum: shape.maximum)
  }
}
