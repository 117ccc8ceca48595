import SwiftData

/// The rules of the schema, applied to the rows at the time of the save. The context has applied
/// them to the rows that it knew.
extension SavePlan {
  // MARK: Deletion

  /// Applies delete rules until no row refers to a deleted one. What prevents a deletion is looked
  /// at last: a later rule may delete the rows that prevent it.
  mutating func applyRules(to deleted: [PersistentIdentifier]) throws {
    // The rules change more rows, to which they apply all the same.
    let requested = Set(changed.keys)
    var obstacles: [Obstacle] = []
    // A list that loses many members is written once.
    var lostMembers: [Referrer: Set<PersistentIdentifier>] = [:]
    var queue = deleted
    var next = 0
    while next < queue.count {
      let identifier = queue[next]
      next += 1
      guard let old = removed[identifier] else { continue }
      for link in entity(old)?.links ?? [] {
        let targets = old.links(link.name).filter(exists)
        switch link.deleteRule {
        case .cascade:
          for target in targets where exists(target) && !requested.contains(target) {
            remove(target, byRule: true)
            queue.append(target)
          }
        case .deny: obstacles += targets.map { Obstacle(row: old, link: link, target: $0) }
        default: break
        }
      }
      for referrer in referrers(of: identifier).sorted(by: SavePlan.inOrder) {
        guard let row = row(referrer.row), let link = entity(row)?.relationships[referrer.property]
        else { continue }
        switch link.inverseDeleteRule {
        case .cascade:
          remove(row.identifier, byRule: true)
          queue.append(row.identifier)
        case .deny: obstacles.append(Obstacle(row: row, link: link, target: identifier))
        default:
          if link.isRequired {
            obstacles.append(Obstacle(row: row, link: link, target: identifier))
          } else {
            lostMembers[referrer, default: []].insert(identifier)
          }
        }
      }
    }
    for (referrer, lost) in lostMembers.sorted(by: { SavePlan.inOrder($0.key, $1.key) }) {
      guard let row = row(referrer.row), let link = entity(row)?.relationships[referrer.property]
      else { continue }
      try removeLinks(to: lost, link, of: row)
    }
    for obstacle in obstacles { try check(obstacle) }
    try displaceOtherOwners()
    try emptyStoredSides()
  }

  /// A link that may prevent a deletion: one of a deleted row, or one to a deleted row.
  private struct Obstacle {
    let row: DocumentRow
    let link: RelationshipShape
    let target: PersistentIdentifier
  }

  /// - Throws: A `DocumentStoreError` if the other row is not deleted too.
  private func check(_ obstacle: Obstacle) throws {
    let (row, link) = (obstacle.row, obstacle.link)
    if removed[row.identifier] == nil {
      guard link.inverseDeleteRule == .deny else { throw missingRow(of: link, row) }
      throw denial(
        row, link,
        "The row refers to \(removed[obstacle.target]?.name ?? "a row") that the save deletes",
        by: obstacle.target.entityName, link.inverse ?? "")
    } else if let target = self.row(obstacle.target) {
      throw denial(
        row, link, "The row, which the save deletes, refers to \(target.name)", by: row.entity,
        link.name)
    }
  }

  private func denial(
    _ row: DocumentRow, _ link: RelationshipShape, _ reason: String, by entity: String,
    _ property: String
  ) -> DocumentStoreError {
    DocumentStoreError(
      .deniedDeletion,
      "\(reason), and the delete rule of \(entity).\(property) is deny. Nothing was saved.",
      entity: row.entity, row: row.key, property: link.name
    ).denied(by: entity, property)
  }

  private func missingRow(of link: RelationshipShape, _ row: DocumentRow) -> DocumentStoreError {
    DocumentStoreError(
      .invalidLink,
      "The save deletes the row that this required relationship refers to, or gives it to another row. "
        + "Nothing was saved.", entity: row.entity, row: row.key, property: link.name
    ).denied(by: row.entity, link.name)
  }

  private mutating func removeLinks(
    to targets: Set<PersistentIdentifier>, _ link: RelationshipShape, of row: DocumentRow
  ) throws {
    if link.isRequired { throw missingRow(of: link, row) }
    var row = row
    row.setLinks(link, row.links(link.name).filter { !targets.contains($0) })
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
        try removeLinks(to: [target], link, of: owner)
      }
    }
  }

  /// No row keeps a link to a row whose derived relationship this save sets to nil, also if another writer has
  /// stored the link since. Where the relationship was only displaced, the context shows that writer's row.
  private mutating func emptyStoredSides() throws {
    for emptied in emptiedLinks {
      for other in storedSides(of: emptied) {
        guard let row = row(other.row), let link = entity(row)?.relationships[other.property]
        else { continue }
        try removeLinks(to: [emptied.row], link, of: row)
      }
    }
    for displaced in displacedLinks where !storedSides(of: displaced).isEmpty {
      changes.corrected.insert(displaced.row)
    }
  }

  /// The links that a derived relationship of a row follows from.
  private func storedSides(of side: Referrer) -> [Referrer] {
    guard let row = row(side.row), let relationship = entity(row)?.relationships[side.property]
    else { return [] }
    return referrers(of: side.row).filter { rows.shape.isStoredSide($0, of: relationship) }
      .sorted(by: SavePlan.inOrder)
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
