import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat
import Testing

/// What a file says, without numbers and names of columns: rows by identity.
struct StoreExport {
  /// Values by entity and identity, then by property and path.
  var rows: [String: [String: [String: String]]] = [:]
  /// Pairs of identities by entity and property.
  var links: [String: Set<String>] = [:]

  init(_ layout: StoreLayout, _ connection: Connection) throws {
    for entity in layout.model.entities {
      let table = layout.table(of: entity.name)
      let condition = "Z_ENT = \(layout.numbers[entity.name] ?? 0)"
      guard let identity = layout.identity(of: entity.name) else { continue }
      var found: [String: [String: String]] = [:]
      for row in try connection.list("SELECT \"\(identity)\" FROM \"\(table)\" WHERE \(condition)")
      {
        found[row] = [:]
      }
      for owner in layout.model.lineage(of: entity.name) {
        for attribute in owner.properties.compactMap(\.attribute) where !attribute.isTransient {
          for (path, leaf) in attribute.leaves {
            let part: StoreLayout.ColumnID.Part = path.isEmpty ? .value : .leaf(path)
            guard let column = layout.column(attribute.name, of: owner.name, part) else { continue }
            // Whole numbers are told as such, whatever their type.
            let isNumber = [.integer16, .integer32, .integer64, .double, .float, .decimal].contains(
              leaf.type)
            let term = isNumber ? "quote(\"\(column.name)\" + 0.0)" : "quote(\"\(column.name)\")"
            let statement = try connection.prepare(
              "SELECT \"\(identity)\", \(term) FROM \"\(table)\" WHERE \(condition)")
            while try statement.step() {
              found[statement.string(0)]?["\(attribute.name).\(path.joined(separator: "."))"] =
                statement.string(1)
            }
          }
        }
      }
      rows[entity.name] = found
      for relationship in entity.properties.compactMap(\.relationship) {
        links["\(entity.name).\(relationship.name)"] = try Self.pairs(
          relationship, entity.name, layout, connection)
      }
    }
  }

  private static func pairs(
    _ relationship: RelationshipDescription, _ entity: String, _ layout: StoreLayout,
    _ connection: Connection
  ) throws -> Set<String> {
    let (near, far) = (layout.table(of: entity), layout.table(of: relationship.destination))
    guard let a = layout.identity(of: entity), let b = layout.identity(of: relationship.destination)
    else { return [] }
    let join: String
    if let side = layout.joinSide(relationship.name, of: entity) {
      join =
        "JOIN \"\(side.table.name)\" AS j ON j.\"\(side.ownerColumn)\" = n.Z_PK JOIN \"\(far)\" AS f ON f.Z_PK = j.\"\(side.memberColumn)\""
    } else if !relationship.isToMany, let column = layout.column(relationship.name, of: entity) {
      if let number = layout.column(relationship.name, of: entity, .entityNumber) {
        let wrong = try connection.integer(
          """
          SELECT count(*) FROM "\(near)" AS n JOIN "\(far)" AS f ON f.Z_PK = n."\(column.name)"
          WHERE n."\(number.name)" IS NOT f.Z_ENT
          """)
        #expect(wrong == 0, "entity numbers of \(entity).\(relationship.name)")
      }
      join = "JOIN \"\(far)\" AS f ON f.Z_PK = n.\"\(column.name)\""
    } else if let inverse = relationship.inverse,
      let (owner, _) = layout.model.property(inverse, of: relationship.destination),
      let column = layout.column(inverse, of: owner.name)
    {
      join = "JOIN \"\(far)\" AS f ON f.\"\(column.name)\" = n.Z_PK"
    } else if let column = layout.column(relationship.name, of: entity, .owner) {
      join = "JOIN \"\(far)\" AS f ON f.\"\(column.name)\" = n.Z_PK"
    } else {
      return []
    }
    return Set(
      try connection.list("SELECT n.\"\(a)\" || '-' || f.\"\(b)\" FROM \"\(near)\" AS n \(join)"))
  }

  /// The same under the names of the changed model; what is gone is left out.
  func renamed(_ counterparts: ModelCounterparts) -> StoreExport {
    var renamed = self
    renamed.rows = [:]
    renamed.links = [:]
    for (entity, rows) in rows {
      guard let successor = counterparts.successor(of: entity) else { continue }
      renamed.rows[successor.name] = rows.mapValues { values in
        var found: [String: String] = [:]
        for (name, value) in values {
          let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
          guard let current = counterparts.successor(of: String(parts[0]), of: entity) else {
            continue
          }
          found["\(current).\(parts[1])"] = value
        }
        return found
      }
    }
    for (name, pairs) in links {
      let parts = name.split(separator: ".").map(String.init)
      guard let successor = counterparts.successor(of: parts[0]),
        let current = counterparts.successor(of: parts[1], of: parts[0])
      else { continue }
      renamed.links["\(successor.name).\(current)"] = pairs
    }
    return renamed
  }

  /// What the changed file lacks or has otherwise.
  func difference(from other: StoreExport, _ counterparts: ModelCounterparts) -> [String] {
    var found: [String] = []
    for (entity, rows) in rows {
      let others = other.rows[entity] ?? [:]
      if Set(rows.keys) != Set(others.keys) {
        found.append("\(entity): rows \(rows.keys.sorted()) are \(others.keys.sorted())")
        continue
      }
      for (row, values) in rows {
        for (name, value) in values {
          // A member that went, or became another type, has no column any more.
          guard let now = others[row]?[name] else { continue }
          if now != value { found.append("\(entity) \(row).\(name): \(value) is \(now)") }
        }
      }
    }
    let known = Set(other.rows.values.flatMap(\.keys))
    for (name, pairs) in links {
      guard let others = other.links[name] else { continue }
      let expected = pairs.filter { pair in
        pair.split(separator: "-").allSatisfy { known.contains(String($0)) }
      }
      if !expected.isSubset(of: others) {
        found.append("\(name): \(expected.subtracting(others).sorted()) are gone")
      }
    }
    return found
  }
}

extension StoreLayout {
  func identity(of entity: String) -> String? {
    model.property("identity", of: entity).flatMap { column("identity", of: $0.entity.name)?.name }
  }
}
