import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat
import SwiftData
import Testing

/// Models are changed at random by someone who forgets to declare former names, removes subclasses, and uses
/// the name of an entity for another one. What plain SQL finds in the file before the change is in it
/// afterwards, or named by the preview with its number, or the change is refused.
@Suite struct RandomRemovalTests {
  private enum Outcome { case refused, lossless, lossy }

  @Test(arguments: [true, false]) func nothingDisappearsUnnamed(_ hasPlan: Bool) throws {
    var outcomes: [Outcome: Int] = [:]
    let count = RandomMigrationTests.count * 3
    for seed in RandomMigrationTests.seed..<(RandomMigrationTests.seed + UInt64(count)) {
      outcomes[try migrate(seed, hasPlan), default: 0] += 1
    }
    // Each way is taken often enough to be tested.
    for outcome in [Outcome.refused, .lossless, .lossy] {
      #expect(outcomes[outcome, default: 0] > count / 20, "\(outcomes)")
    }
  }

  /// - Parameter hasPlan: Whether entities that the new model does not name are removed. Without a plan their
  ///   rows stay.
  private func migrate(_ seed: UInt64, _ hasPlan: Bool) throws -> Outcome {
    let random = try RandomChange(seed: seed, isCareless: true)
    let (before, after) = (random.before, random.after)
    let (connection, label) = (random.connection, random.label)
    let export = try StoreExport(random.layout, connection)
    let removal = Removal(from: before, to: after)
    return try connection.transaction(.immediate) {
      let stored = try #require(try StoredSchema.read(connection))
      var options = SchemaChange.Options()
      if hasPlan { options.removing = Set(before.entities.map(\.name)) }
      let change = try SchemaChange(
        stored: stored, model: before, target: after, options: options, connection: connection)
      if try !change.problems(connection).isEmpty { return .refused }
      let losses = try change.losses(connection)
      #expect(
        Removal.described(losses.filter { !removal.isRelationship($0) })
          == removal.values(in: export, removesEntities: hasPlan), label)
      #expect(
        removal.links(in: export).isSubset(of: losses.filter(removal.isRelationship).map(\.id)),
        label)
      for loss in losses where removal.isRelationship(loss) {
        #expect(removal.removesRelationship(loss), "\(label): \(loss)")
      }
      try change.run(connection)
      if !hasPlan {
        let kept = try #require(try StoredSchema.read(connection))
        for (entity, rows) in export.rows where removal.successor(of: entity) == nil {
          guard !rows.isEmpty else { continue }
          let number = try #require(kept.entitiesByName[entity]?.number, label)
          let tables = kept.columns.filter { $0.value["Z_ENT"] != nil && $0.value["Z_PK"] != nil }
          let count = try tables.keys.reduce(0) { count, table in
            try count
              + (connection.integer("SELECT count(*) FROM \"\(table)\" WHERE Z_ENT = \(number)")
                ?? 0)
          }
          #expect(count == Int64(rows.count), label)
        }
      }
      return losses.isEmpty ? .lossless : .lossy
    }
  }
}

extension MigrationLoss {
  fileprivate var id: String { "\(entity).\(property ?? "")" }
}

/// What a change removes, by the declared names alone.
private struct Removal {
  let before: ModelDescription
  let after: ModelDescription

  init(from before: ModelDescription, to after: ModelDescription) {
    (self.before, self.after) = (before, after)
  }

  static func described(_ losses: [MigrationLoss]) -> [String: Int] {
    losses.reduce(into: [:]) { $0[$1.id, default: 0] += $1.valueCount }
  }

  func successor(of entity: String) -> EntityDescription? {
    after.entities.first { ($0.renamingIdentifier ?? $0.name) == entity }
  }

  /// Whether rows of an entity have a property of a former name afterwards.
  private func keeps(_ property: String, of entity: String) -> Bool {
    guard let successor = successor(of: entity) else { return false }
    return after.lineage(of: successor.name).flatMap(\.properties).contains {
      formerName($0) == property
    }
  }

  private func formerName(_ property: PropertyDescription) -> String {
    switch property {
    case .attribute(let attribute): attribute.renamingIdentifier ?? attribute.name
    case .relationship(let relationship): relationship.renamingIdentifier ?? relationship.name
    case .fetched: property.name
    }
  }

  /// Values that no property holds afterwards, and rows of removed entities.
  func values(in export: StoreExport, removesEntities: Bool) -> [String: Int] {
    var found: [String: Int] = [:]
    for (entity, rows) in export.rows where !rows.isEmpty {
      if removesEntities, successor(of: entity) == nil {
        found["\(entity)."] = rows.count
        continue
      }
      // An entity that stays without being named loses what it inherits from one that is.
      let named = before.lineage(of: entity).first { successor(of: $0.name) != nil }
      for owner in named.map({ before.lineage(of: $0.name) }) ?? [] {
        for attribute in owner.properties.compactMap(\.attribute)
        where !attribute.isTransient && !keeps(attribute.name, of: named?.name ?? entity) {
          let count = rows.values.count { values in
            values.contains { $0.key.hasPrefix("\(attribute.name).") && $0.value != "NULL" }
          }
          if count > 0 { found["\(owner.name).\(attribute.name)", default: 0] += count }
        }
      }
    }
    return found
  }

  func isRelationship(_ loss: MigrationLoss) -> Bool {
    guard let property = loss.property else { return false }
    return before.property(property, of: loss.entity)?.property.relationship != nil
  }

  /// A side of a pair may be named for both. Pairs with a row of a class that is not in the models any more
  /// belong to no relationship.
  func removesRelationship(_ loss: MigrationLoss) -> Bool {
    let name = loss.property ?? ""
    let destination = before.property(name, of: loss.entity)?.property.relationship?.destination
    return before.subtree(of: loss.entity).contains { !keeps(name, of: $0.name) }
      || destination.map { before.subtree(of: $0).contains { successor(of: $0.name) == nil } }
        ?? false
  }

  /// Relationships that both ends of some links are without afterwards, though their rows stay.
  func links(in export: StoreExport) -> Set<String> {
    var found: Set<String> = []
    for entity in before.entities {
      for relationship in entity.properties.compactMap(\.relationship)
      where successor(of: entity.name) != nil && !keeps(relationship.name, of: entity.name)
        && successor(of: relationship.destination) != nil
        && export.links["\(entity.name).\(relationship.name)"]?.isEmpty == false
      {
        if let inverse = relationship.inverse, keeps(inverse, of: relationship.destination) {
          continue
        }
        found.insert("\(entity.name).\(relationship.name)")
      }
    }
    return found
  }
}
