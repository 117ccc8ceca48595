import SwiftData

/// The rules of the schema, applied to the rows at the time of the save. The context has applied
/// them to the rows that it knew.
extension SavePlan {
  // MARK: Deletion

  /// Applies delete rules until no row refers to a deleted one.
  mutating func applyRules(to deleted: [PersistentIdentifier]) throws {
    // The rules change more rows, to which they apply all the same.
    let requested = Set(changed.keys)
    var queue = deleted
    var next = 0
    while next < queue.count {
      let identifier = queue[next]
      next += 1
      guard let old = removed[identifier] else { continue }
      for link in entity(old)?.links ?? [] where link.deleteRule == .cascade {
        for target in old.links(link.name) where exists(target) && !requested.contains(target) {
          remove(target, byRule: true)
          queue.append(target)
        }
      }
      for referrer in referrers(of: identifier).sorted(by: SavePlan.inOrder) {
        if try apply(referrer, identifier) { queue.append(referrer.row) }
      }
    }
    try displaceOtherOwners()
  }

  /// Whether a row exists that the request does not concern.
  private func isUnchanged(_ identifier: PersistentIdentifier) -> Bool {
    changed[identifier] == nil && rows.rows[identifier] != nil
  }

  /// Handles a row that refers to a deleted one.
  /// - Returns: Whether the row is deleted too.
  private mutating func apply(
    _ referrer: Referrer, _ deleted: PersistentIdentifier
  ) throws -> Bool {
    guard let row = row(referrer.row), let link = entity(row)?.relationships[referrer.property]
    else { return false }
    switch link.inverseDeleteRule {
    case .cascade:
      remove(row.identifier, byRule: true)
      return true
    case .deny where isUnchanged(row.identifier):
      throw DocumentStoreError(
        .deniedDeletion,
        "The row refers to \(rows.rows[deleted]?.name ?? "a row") that the save deletes, and the delete rule "
          + "of \(deleted.entityName).\(link.inverse ?? "") is deny. Nothing was saved.",
        entity: row.entity, row: row.key, property: link.name
      ).denied(by: deleted.entityName, link.inverse ?? "")
    default:
      try removeLink(to: deleted, link, of: row)
      return false
    }
  }

  private mutating func removeLink(
    to target: PersistentIdentifier, _ link: RelationshipShape, of row: DocumentRow
  ) throws {
    if !link.isToMany, !link.isOptional {
      throw DocumentStoreError(
        .invalidLink,
        "The save deletes the row that this required relationship refers to, or gives it to another row. "
          + "Nothing was saved.", entity: row.entity, row: row.key, property: link.name
      ).denied(by: row.entity, link.name)
    }
    var row = row
    row.setLinks(link, row.links(link.name).filter { $0 != target })
    put(row, isCorrection: true)
  }

  // MARK: Single related rows

  /// A row that two rows refer to, although only one may: the one to which this save gave it keeps
  /// it. If new rows became one, so that the save gave it to two, the last one does.
  private mutating func displaceOtherOwners() throws {
    for taken in takenLinks.reversed() {
      guard let row = row(taken.row), let link = entity(row)?.relationships[taken.property],
        let target = row.links(link.name).first
      else { continue }
      for other in referrers(of: target).sorted(by: SavePlan.inOrder)
      where other.row != row.identifier && rows.shape.belongs(other, to: link) {
        guard let owner = self.row(other.row) else { continue }
        try removeLink(to: target, link, of: owner)
      }
    }
  }

  // MARK: Links

  /// Links of changed rows lead to rows. Where another writer has deleted one, the context drops
  /// the link and saves again.
  func checkLinks() throws {
    var missing: Set<PersistentIdentifier> = []
    for case let row? in changed.values {
      for link in entity(row)?.links ?? [] {
        for target in row.links(link.name) where !exists(target) { missing.insert(target) }
      }
    }
    if !missing.isEmpty { throw DeletedRows(missing.sorted()) }
  }

  private static func inOrder(_ a: Referrer, _ b: Referrer) -> Bool {
    (a.row, a.property) < (b.row, b.property)
  }
}
