import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat
import SwiftData
import Testing

/// Random models are changed at random, with random rows: what goes on is read by plain SQL before and
/// afterwards, value by value and link by link; then all is changed back.
@Suite struct RandomMigrationTests {
  private static let count =
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_RANDOM_MIGRATIONS"].flatMap(Int.init) ?? 60
  private static let seed =
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_RANDOM_SEED"].flatMap(UInt64.init) ?? 1

  @Test(arguments: [Int64(20_000), 0]) func whatGoesOnIsKept(_ smallTable: Int64) throws {
    var changed = 0
    for seed in Self.seed..<(Self.seed + UInt64(Self.count)) {
      try SchemaChange.$smallTable.withValue(smallTable) {
        if try migrate(seed) { changed += 1 }
      }
    }
    // Most changes lose nothing.
    #expect(changed * 3 > Self.count * 2, "\(changed) of \(Self.count)")
  }

  /// - Returns: Whether the change was possible without a loss.
  private func migrate(_ seed: UInt64) throws -> Bool {
    let folder = try TemporaryFolder()
    let before = RandomModel(seed: seed).description.withIdentities
    var mutation = ModelMutation(before, seed: seed)
    let after = mutation.run()
    let connection = try Connection(path: folder.store.path)
    let layout = StoreLayout(before, numbers: before.freshNumbers)
    try connection.transaction(.immediate) {
      try StoreCreation(
        model: before, numbers: layout.numbers, definitions: layout.creationStatements
      ).create(connection)
      try RandomRows(layout, seed: seed).fill(connection)
    }
    let export = try StoreExport(layout, connection)
    let problems = try change(before, to: after, connection)
    if !problems.isEmpty { return false }
    let label: Comment = "seed \(seed): \(mutation.steps.joined(separator: ", "))"
    let new = StoreLayout(after, numbers: after.freshNumbers)
    let counterparts = ModelCounterparts(from: before, to: after)
    let migrated = try StoreExport(new, connection)
    #expect(
      export.renamed(counterparts).difference(from: migrated, counterparts) == [], label)
    #expect(try connection.text("PRAGMA integrity_check") == "ok", label)
    try expectLikeNew(after, connection, folder, label)
    // And back: what the second model has is the same in the first.
    let back = ModelCounterparts(from: after, to: mutation.reversed)
    if try change(after, to: mutation.reversed, connection).isEmpty {
      let returned = try StoreExport(
        StoreLayout(mutation.reversed, numbers: mutation.reversed.freshNumbers), connection)
      #expect(migrated.renamed(back).difference(from: returned, back) == [], label)
      try expectLikeNew(mutation.reversed, connection, folder, label)
    }
    return true
  }

  private func change(
    _ model: ModelDescription, to target: ModelDescription, _ connection: Connection
  ) throws -> [MigrationProblem] {
    try connection.transaction(.immediate) {
      let stored = try #require(try StoredSchema.read(connection))
      var options = SchemaChange.Options()
      options.removing = Set(model.entities.map(\.name))
      let change = try SchemaChange(
        stored: stored, model: model, target: target, options: options, connection: connection)
      let problems = try change.problems(connection)
      if problems.isEmpty { try change.run(connection) }
      return problems
    }
  }

  private func expectLikeNew(
    _ model: ModelDescription, _ connection: Connection, _ folder: TemporaryFolder,
    _ label: Comment
  ) throws {
    let url = folder.url.appending(path: "new-\(UUID().uuidString).store")
    let other = try Connection(path: url.path)
    let layout = StoreLayout(
      model, numbers: model.freshNumbers, knownTables: try tables(connection))
    try other.transaction(.immediate) {
      try StoreCreation(
        model: model, numbers: layout.numbers, definitions: layout.creationStatements
      ).create(other)
    }
    let isLarge = SchemaChange.smallTable == 0
    let definitions = """
      SELECT type || ' ' || name || ' ' || replace(coalesce(sql, ''), '"', '') FROM sqlite_schema
      WHERE name NOT IN ('ACHANGE', 'Z_MODELCACHE') AND \(isLarge ? "type <> 'table'" : "1")
      ORDER BY type, name
      """
    #expect(
      try Set(connection.list(definitions)).symmetricDifference(try other.list(definitions)) == [],
      label)
    let columns = """
      SELECT t.name || '.' || c.name || ' ' || c.type FROM sqlite_schema AS t,
      pragma_table_info(t.name) AS c WHERE t.type = 'table' AND t.name <> 'ACHANGE' ORDER BY 1
      """
    #expect(
      try Set(connection.list(columns)).symmetricDifference(try other.list(columns)) == [], label)
  }

  private func tables(_ connection: Connection) throws -> Set<String> {
    Set(try connection.list("SELECT name FROM sqlite_schema WHERE type = 'table'"))
  }
}

extension Connection {
  /// The first column of all rows.
  fileprivate func list(_ sql: String) throws -> [String] {
    let statement = try prepare(sql)
    defer { statement.reset() }
    var found: [String] = []
    while try statement.step() { found.append(statement.string(0)) }
    return found
  }
}

extension ModelDescription {
  /// The same model where each root has a number of its own in each row, by which rows are known.
  fileprivate var withIdentities: ModelDescription {
    ModelDescription(
      entities: entities.map { entity in
        guard entity.superName == nil else { return entity.replacing(entity.properties) }
        var identity = AttributeDescription(name: "identity", type: .integer64)
        identity.renamingIdentifier = "identity"
        return entity.replacing(entity.properties + [.attribute(identity)])
      }, versionIdentifiers: versionIdentifiers)
  }
}

extension EntityDescription {
  /// Constraints are left out: random values break them.
  fileprivate func replacing(
    _ properties: [PropertyDescription], name: String? = nil, superName: String?? = nil,
    formerName: String? = nil
  ) -> EntityDescription {
    let names = Set(properties.map(\.name))
    return EntityDescription(
      name: name ?? self.name, superName: superName ?? self.superName, properties: properties,
      indexes: indexes.filter { $0.elements.allSatisfy { names.contains($0.property) } },
      renamingIdentifier: formerName ?? name ?? self.name)
  }
}

/// Random rows for a model.
private struct RandomRows {
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

/// What a file says, without numbers and names of columns: rows by identity.
private struct StoreExport {
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
  fileprivate func identity(of entity: String) -> String? {
    model.property("identity", of: entity).flatMap { column("identity", of: $0.entity.name)?.name }
  }
}

/// Changes a model at random, step by step.
private struct ModelMutation {
  private var entities: [EntityDescription]
  private let original: ModelDescription
  private var generator: SeededRandom
  private(set) var steps: [String] = []
  private var renamedEntities: [String: String] = [:]

  init(_ model: ModelDescription, seed: UInt64) {
    original = model
    entities = model.entities
    generator = SeededRandom(seed &+ 1234)
  }

  /// The model at first, with the names of the changed one as former names.
  var reversed: ModelDescription {
    let counterparts = ModelCounterparts(
      from: original, to: ModelDescription(entities: entities))
    return ModelDescription(
      entities: original.entities.map { entity in
        let now = counterparts.successor(of: entity.name)
        return entity.replacing(
          entity.properties.map { property in
            property.renamed(
              from: counterparts.successor(of: property.name, of: entity.name) ?? property.name)
          }, formerName: now?.name)
      }, versionIdentifiers: ["1.0.0"])
  }

  mutating func run() -> ModelDescription {
    for _ in 0..<Int.random(in: 1...4, using: &generator) { step() }
    return ModelDescription(entities: entities, versionIdentifiers: ["2.0.0"])
  }

  private mutating func step() {
    guard let place = entities.indices.randomElement(using: &generator) else { return }
    let entity = entities[place]
    switch Int.random(in: 0..<9, using: &generator) {
    case 0:
      let name = "Aaa\(entities.count)"
      var identity = AttributeDescription(name: "identity", type: .integer64)
      identity.renamingIdentifier = "identity"
      entities.append(
        EntityDescription(
          name: name, properties: [.attribute(identity)], renamingIdentifier: name))
      steps.append("new \(name)")
    case 1: rename(place)
    case 2:
      var added = AttributeDescription(name: "added\(steps.count)", type: .string, isOptional: true)
      added.renamingIdentifier = added.name
      entities[place] = entity.replacing(
        entity.properties + [.attribute(added)], formerName: entity.renamingIdentifier)
      steps.append("new \(entity.name).\(added.name)")
    case 3:
      guard
        let gone = entity.properties.compactMap(\.attribute).filter({ $0.name != "identity" })
          .randomElement(using: &generator)
      else { return }
      entities[place] = entity.replacing(
        entity.properties.filter { $0.name != gone.name }, formerName: entity.renamingIdentifier)
      steps.append("without \(entity.name).\(gone.name)")
    case 4:
      guard
        let property = entity.properties.filter({ $0.attribute != nil && $0.name != "identity" })
          .randomElement(using: &generator), case .attribute(let attribute) = property
      else { return }
      let name = "zz\(attribute.name)\(steps.count)"
      let changed = attribute.called(name)
      entities[place] = entity.replacing(
        entity.properties.map { $0.name == attribute.name ? .attribute(changed) : $0 },
        formerName: entity.renamingIdentifier)
      steps.append("\(entity.name).\(attribute.name) is \(name)")
    case 5: convert(place)
    case 6: relink(place)
    case 7: moveUp(place)
    default: addSuperclass(place)
    }
  }

  private mutating func rename(_ place: Int) {
    let entity = entities[place]
    // Once is enough: what it was called in between is in no model.
    guard renamedEntities[entity.name] == nil else { return }
    let name = "Aa\(entity.name)\(steps.count)"
    renamedEntities[name] = entity.name
    entities = entities.map { other in
      other.replacing(
        other.properties.map { $0.leading(from: entity.name, to: name) },
        name: other.name == entity.name ? name : nil,
        superName: .some(other.superName == entity.name ? name : other.superName),
        formerName: other.name == entity.name
          ? entity.renamingIdentifier ?? entity.name : other.renamingIdentifier)
    }
    steps.append("\(entity.name) is \(name)")
  }

  private mutating func convert(_ place: Int) {
    let entity = entities[place]
    let numbers: [AttributeType] = [.integer16, .integer32, .integer64, .double, .float]
    guard
      var attribute = entity.properties.compactMap(\.attribute)
        .filter({ numbers.contains($0.type) && $0.name != "identity" })
        .randomElement(using: &generator)
    else { return }
    attribute.type = numbers.randomElement(using: &generator) ?? .double
    attribute.isOptional = attribute.isOptional || Bool.random(using: &generator)
    attribute.defaultValue = nil
    let changed = attribute
    entities[place] = entity.replacing(
      entity.properties.map { $0.name == changed.name ? .attribute(changed) : $0 },
      formerName: entity.renamingIdentifier)
    steps.append("\(entity.name).\(attribute.name) is \(attribute.type)")
  }

  /// A relationship gets another number of members, or loses its inverse.
  private mutating func relink(_ place: Int) {
    let entity = entities[place]
    guard
      var relationship = entity.properties.compactMap(\.relationship)
        .randomElement(using: &generator)
    else { return }
    if let inverse = relationship.inverse, Bool.random(using: &generator) {
      relationship.inverse = nil
      let destination = relationship.destination
      entities = entities.map { other in
        let owns =
          ModelDescription(entities: entities).property(inverse, of: destination)?.entity.name
          == other.name
        return owns
          ? other.replacing(
            other.properties.filter { $0.name != inverse }, formerName: other.renamingIdentifier)
          : other
      }
    } else {
      relationship.maximumCount = relationship.isToMany ? 1 : 0
      relationship.isOptional = true
    }
    let changed = relationship
    guard let now = entities.firstIndex(where: { $0.name == entity.name }) else { return }
    entities[now] = entities[now].replacing(
      entities[now].properties.map { $0.name == changed.name ? .relationship(changed) : $0 },
      formerName: entity.renamingIdentifier)
    steps.append(
      "\(entity.name).\(relationship.name) is \(PropertyDescription.relationship(relationship).typeText)"
    )
  }

  private mutating func moveUp(_ place: Int) {
    let entity = entities[place]
    guard let above = entities.firstIndex(where: { $0.name == entity.superName }),
      var attribute = entity.properties.compactMap(\.attribute).filter({ $0.type != .composite })
        .randomElement(using: &generator)
    else { return }
    attribute.isOptional = true
    attribute.defaultValue = nil
    entities[place] = entity.replacing(
      entity.properties.filter { $0.name != attribute.name }, formerName: entity.renamingIdentifier)
    entities[above] = entities[above].replacing(
      entities[above].properties + [.attribute(attribute)],
      formerName: entities[above].renamingIdentifier)
    steps.append("\(entity.name).\(attribute.name) moves up")
  }

  /// Two hierarchies get a common root.
  private mutating func addSuperclass(_ place: Int) {
    let roots = entities.filter { $0.superName == nil }
    guard roots.count > 1 else { return }
    let pair = Array(roots.shuffled(using: &generator).prefix(2))
    // A property is declared once in a hierarchy.
    let model = ModelDescription(entities: entities)
    func names(_ root: EntityDescription) -> Set<String> {
      Set(model.subtree(of: root.name).flatMap(\.properties).map(\.name)).subtracting(["identity"])
    }
    guard names(pair[0]).isDisjoint(with: names(pair[1])) else { return }
    let name = "Base\(steps.count)"
    entities = entities.map { entity in
      guard pair.contains(where: { $0.name == entity.name }) else { return entity }
      return entity.replacing(
        entity.properties.filter { $0.name != "identity" }, superName: .some(name),
        formerName: entity.renamingIdentifier)
    }
    var identity = AttributeDescription(name: "identity", type: .integer64)
    identity.renamingIdentifier = "identity"
    entities.append(
      EntityDescription(name: name, properties: [.attribute(identity)], renamingIdentifier: name))
    steps.append("\(pair[0].name) and \(pair[1].name) get \(name)")
  }
}

extension PropertyDescription {
  fileprivate func leading(from: String, to: String) -> PropertyDescription {
    guard case .relationship(var relationship) = self, relationship.destination == from else {
      return self
    }
    relationship.destination = to
    return .relationship(relationship)
  }

  fileprivate func renamed(from former: String) -> PropertyDescription {
    switch self {
    case .attribute(var attribute):
      attribute.renamingIdentifier = former
      return .attribute(attribute)
    case .relationship(var relationship):
      relationship.renamingIdentifier = former
      return .relationship(relationship)
    case .fetched: return self
    }
  }
}

extension AttributeDescription {
  fileprivate func called(_ name: String) -> AttributeDescription {
    var renamed = AttributeDescription(name: name, type: type, isOptional: isOptional)
    renamed.isTransient = isTransient
    renamed.preservesValueOnDeletion = preservesValueOnDeletion
    renamed.valueClassName = valueClassName
    renamed.transformerName = transformerName
    renamed.elements = elements
    renamed.isEnumeration = isEnumeration
    renamed.enumerationCases = enumerationCases
    renamed.renamingIdentifier = renamingIdentifier ?? self.name
    return renamed
  }
}
