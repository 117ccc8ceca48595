import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// Relationships that become each other's inverses, though each had another one in the file. Both would
/// get the links of both, and afterwards no row says which of them were whose. So the change is refused if
/// the links differ; a transformation begins without any (`LinkPlanner.earlierLinks`).
///
/// Where one of the two had no inverse, both get the links of both: each link is one that somebody has made.
/// A line names those that one side gets from the other (`UnitedLinks`).
extension ChangePlanner {
  /// A relationship of the changed models whose inverse continues other links.
  private struct Crossing {
    let entity: String
    let relationship: RelationshipDescription
    let inverse: String
    let links: CrossedLinks
    /// Whether each of the two had another inverse.
    let isCrossed: Bool
  }

  mutating func refuseCrossedLinks() {
    if toleratesLosses { return }
    let crossings = crossings().filter(\.isCrossed)
    var counts: [EarlierLinks: Int] = [:]
    for links in crossings.flatMap(\.links.all) {
      for side in Set([links, links.reversed]) { counts[side, default: 0] += 1 }
    }
    for crossing in crossings {
      guard let former = crossing.links.own.first?.far else { continue }
      let (own, inverse) = (
        pairs(crossing.links.own, crossing), pairs(crossing.links.inverse, crossing)
      )
      // Links of one alone are kept by both, unless another relationship gets them too.
      let isExchanged = crossing.links.all.contains { counts[$0, default: 0] > 1 }
      let condition = isExchanged ? "" : " WHERE EXISTS (\(own)) AND EXISTS (\(inverse))"
      checks.append(
        ChangeCheck(
          crossing.entity, crossing.relationship.name,
          from: "that of \(former.entity).\(former.relationship.name)",
          to: "the inverse of \(crossing.inverse)",
          reason: "have links that only one of the two has",
          advice:
            "Keep the former inverses. If the new ones are right, set one of the two in a stage "
            + ".transform, so that its links count.", .declaration,
          keys: """
            SELECT A FROM (SELECT A FROM (\(own) EXCEPT \(inverse)) AS O UNION \
            SELECT A FROM (\(inverse) EXCEPT \(own)) AS I) AS K\(condition) ORDER BY A
            """))
    }
  }

  func unitedLinks() -> [UnitedLinks] {
    crossings().filter { !$0.isCrossed }.flatMap { crossing -> [UnitedLinks] in
      guard let near = crossing.links.own.first?.near, let far = crossing.links.inverse.first?.far
      else { return [] }
      let (own, inverse) = (
        pairs(crossing.links.own, crossing), pairs(crossing.links.inverse, crossing)
      )
      return [
        UnitedLinks(
          source: "\(far.entity).\(far.relationship.name)",
          target: "\(crossing.entity).\(crossing.relationship.name)",
          count: "SELECT count(*) FROM (\(inverse) EXCEPT \(own)) AS U"),
        UnitedLinks(
          source: "\(near.entity).\(near.relationship.name)", target: crossing.inverse,
          count: "SELECT count(*) FROM (\(own) EXCEPT \(inverse)) AS U"),
      ]
    }
  }

  /// Each pair of inverses once.
  private func crossings() -> [Crossing] {
    var found: [Crossing] = []
    var seen: Set<String> = []
    for entity in new.model.entities {
      for relationship in entity.properties.compactMap(\.relationship)
      where !relationship.isTransient {
        guard let paired = links.pairedLinks(of: relationship, in: entity.name),
          let name = relationship.inverse,
          let (owner, _) = new.model.property(name, of: relationship.destination)
        else { continue }
        let inverse = "\(owner.name).\(name)"
        if seen.contains(inverse) { continue }
        seen.insert("\(entity.name).\(relationship.name)")
        found.append(
          Crossing(
            entity: entity.name, relationship: relationship, inverse: inverse, links: paired,
            isCrossed: links.crossedLinks(of: relationship, in: entity.name) != nil))
      }
    }
    return found
  }

  /// A query for the pairs of some links, with the keys of the changed file.
  private func pairs(_ earlier: [EarlierLinks], _ crossing: Crossing) -> String {
    let destination = crossing.relationship.destination
    let selections = earlier.compactMap {
      links.selection(
        $0, near: new.table(of: crossing.entity), far: new.table(of: destination),
        between: dividedLinks.contains($0) ? (crossing.entity, destination) : nil)
    }
    if selections.isEmpty {
      return "SELECT CAST(NULL AS BIGINT) AS A, CAST(NULL AS BIGINT) AS B WHERE 1 = 0"
    }
    return "SELECT A, B FROM (\(selections.joined(separator: " UNION "))) AS S"
  }
}
