import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat

/// Random rows for a model.
struct RandomRows {
  private let layout: StoreLayout
  private let seed: UInt64

  init(_ layout: StoreLayout, seed: UInt64) {
    self.layout = layout
    self.seed = seed
  }

  func fill(_ connection: Connection) throws {
    var generator = SeededRandom(seed &+ 77)
    var keys: [String: [Int64]] = [:]
    var identity: Int64 = 0
    for table in layout.tables {
      var next: Int64 = 1
      for entity in layout.model.subtree(of: table.root) {
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
          next += Int64.random(in: 0...2, using: &generator)
          identity += 1
          try connection.execute(
            "INSERT INTO \"\(table.name)\" (Z_PK, Z_ENT, Z_OPT) VALUES (\(next), \(layout.numbers[entity.name] ?? 0), 1)"
          )
          try fill(entity.name, table, next, identity, connection, &generator)
          for above in layout.model.lineage(of: entity.name) {
            keys[above.name, default: []].append(next)
          }
          next += 1
        }
      }
      try connection.execute(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = \(next) WHERE Z_NAME = '\(table.root)'")
    }
    for entity in layout.model.entities {
      for relationship in entity.properties.compactMap(\.relationship) {
        try link(relationship, entity.name, keys, connection, &generator)
      }
    }
  }

  private func fill(
    _ entity: String, _ table: StoreLayout.Table, _ key: Int64, _ identity: Int64,
    _ connection: Connection, _ generator: inout SeededRandom
  ) throws {
    for owner in layout.model.lineage(of: entity) {
      for attribute in owner.properties.compactMap(\.attribute) {
        let isNil = attribute.isOptional && Bool.random(using: &generator)
        for (path, leaf) in attribute.leaves {
          let part: StoreLayout.ColumnID.Part = path.isEmpty ? .value : .leaf(path)
          guard let column = layout.column(attribute.name, of: owner.name, part) else { continue }
          let value =
            attribute.name == "identity"
            ? "\(identity)" : isNil ? "NULL" : Self.value(leaf, &generator)
          try connection.execute(
            "UPDATE \"\(table.name)\" SET \"\(column.name)\" = \(value) WHERE Z_PK = \(key)")
        }
      }
    }
  }

  private static func value(
    _ leaf: AttributeDescription, _ generator: inout SeededRandom
  ) -> String {
    let number = Int.random(in: -200...200, using: &generator)
    switch leaf.type {
    case .boolean: return number > 0 ? "1" : "0"
    case .integer16, .integer32, .integer64, .decimal: return "\(number)"
    case .double, .float, .date:
      return Bool.random(using: &generator) ? "\(number).0" : "\(number).5"
    case .string, .uri: return "'text \(number)'"
    default: return "x'0a\(String(format: "%04x", number & 0xffff))'"
    }
  }

  private func link(
    _ relationship: RelationshipDescription, _ entity: String, _ keys: [String: [Int64]],
    _ connection: Connection, _ generator: inout SeededRandom
  ) throws {
    let (own, others) = (keys[entity] ?? [], keys[relationship.destination] ?? [])
    if own.isEmpty || others.isEmpty { return }
    let inverse = relationship.inverse.flatMap {
      layout.model.property($0, of: relationship.destination)
    }
    if relationship.isToMany {
      if let side = layout.joinSide(relationship.name, of: entity) {
        for key in own {
          for other in others.shuffled(using: &generator).prefix(2) {
            try connection.execute(
              "INSERT OR IGNORE INTO \"\(side.table.name)\" (\"\(side.ownerColumn)\", \"\(side.memberColumn)\") VALUES (\(key), \(other))"
            )
          }
        }
      } else if inverse == nil,
        let column = layout.column(relationship.name, of: entity, .owner)
      {
        let table = layout.table(of: relationship.destination)
        for other in others where Bool.random(using: &generator) {
          let key = own.randomElement(using: &generator) ?? 0
          try connection.execute(
            "UPDATE \"\(table)\" SET \"\(column.name)\" = \(key) WHERE Z_PK = \(other)")
        }
      }
      return
    }
    guard let column = layout.column(relationship.name, of: entity) else { return }
    let isOneToOne = inverse?.property.relationship?.isToMany == false
    // Of a pair of columns the first side decides.
    if isOneToOne, let inverse,
      (inverse.entity.name, inverse.property.name) < (entity, relationship.name)
    {
      return
    }
    var free = others.shuffled(using: &generator)
    for key in own {
      guard !relationship.isOptional || Bool.random(using: &generator),
        let other = isOneToOne ? free.popLast() : others.randomElement(using: &generator)
      else { continue }
      try set(
        column, relationship.name, entity, key, other, layout.table(of: relationship.destination),
        connection)
      if isOneToOne, let inverse,
        let back = layout.column(inverse.property.name, of: inverse.entity.name)
      {
        try set(
          back, inverse.property.name, inverse.entity.name, other, key, layout.table(of: entity),
          connection)
      }
    }
  }

  private func set(
    _ column: StoreLayout.Column, _ property: String, _ entity: String, _ key: Int64,
    _ other: Int64, _ destination: String, _ connection: Connection
  ) throws {
    let table = layout.table(of: entity)
    try connection.execute(
      "UPDATE \"\(table)\" SET \"\(column.name)\" = \(other) WHERE Z_PK = \(key)")
    if let number = layout.column(property, of: entity, .entityNumber) {
      try connection.execute(
        """
        UPDATE "\(table)" SET "\(number.name)" = (SELECT Z_ENT FROM "\(destination)" WHERE Z_PK = \(other))
        WHERE Z_PK = \(key)
        """)
    }
  }
}
