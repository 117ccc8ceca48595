import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat
import SwiftData
import Testing

/// Random models get a property under another name that says nothing of its former one, and lose one: by plain
/// SQL, no filled column disappears without a refusal or a loss that is told.
@Suite struct RandomRemovalTests {
  @Test func noFilledColumnDisappearsWithoutAWord() throws {
    var (refused, told) = (0, 0)
    for seed: UInt64 in 1...80 {
      let folder = try TemporaryFolder()
      let before = ModelDescription(
        entities: RandomModel(seed: seed).description.entities.map { $0.replacing($0.properties) },
        versionIdentifiers: ["1.0.0"])
      var generator = SeededRandom(seed)
      guard let after = change(before, &generator) else { continue }
      let layout = StoreLayout(before, numbers: before.freshNumbers)
      let connection = try Connection(path: folder.store.path)
      try connection.transaction(.immediate) {
        try StoreCreation(
          model: before, numbers: layout.numbers, definitions: layout.creationStatements
        ).create(connection)
        try RandomRows(layout, seed: seed).fill(connection)
      }
      let stored = try #require(try StoredSchema.read(connection))
      let change = try SchemaChange(
        stored: stored, model: before, target: after, connection: connection)
      let gone = try filledColumnsThatGo(layout, after, connection)
      let losses = Set(try change.losses(connection).map { "\($0.entity).\($0.property ?? "")" })
      #expect(gone.isSubset(of: losses), "seed \(seed): \(gone) in \(losses)")
      if try !change.problems(connection).isEmpty { refused += 1 }
      if !gone.isEmpty { told += 1 }
    }
    #expect(refused > 10 && told > 20, "\(refused), \(told)")
  }

  /// One attribute gets another name, and another one goes.
  private func change(
    _ model: ModelDescription, _ generator: inout SeededRandom
  ) -> ModelDescription? {
    let entities = model.entities.filter { $0.properties.contains { $0.attribute != nil } }
    guard let chosen = entities.randomElement(using: &generator) else { return nil }
    let attributes = chosen.properties.compactMap(\.attribute).shuffled(using: &generator)
    var properties = chosen.properties.filter { property in
      !attributes.prefix(2).contains { $0.name == property.name }
    }
    let old = attributes[0]
    var renamed = AttributeDescription(name: "zz\(old.name)", type: old.type, isOptional: true)
    renamed.valueClassName = old.valueClassName
    renamed.elements = old.elements
    renamed.isEnumeration = old.isEnumeration
    renamed.renamingIdentifier = renamed.name
    properties.append(.attribute(renamed))
    return ModelDescription(
      entities: model.entities.map { $0.name == chosen.name ? $0.replacing(properties) : $0 },
      versionIdentifiers: ["2.0.0"])
  }

  /// The columns of attributes that the changed model does not name, and that have values.
  private func filledColumnsThatGo(
    _ layout: StoreLayout, _ after: ModelDescription, _ connection: Connection
  ) throws -> Set<String> {
    var found: Set<String> = []
    for entity in layout.model.entities {
      for attribute in entity.properties.compactMap(\.attribute)
      where !attribute.isTransient && after[entity.name]?[attribute.name] == nil {
        let columns = layout.columnNames(of: attribute.name, in: entity.name)
        let numbers = layout.model.subtree(of: entity.name).compactMap { layout.numbers[$0.name] }
        if columns.isEmpty { continue }
        let filled = try connection.integer(
          """
          SELECT count(*) FROM "\(layout.table(of: entity.name))" WHERE Z_ENT IN
          (\(numbers.map(String.init).joined(separator: ", "))) AND
          (\(columns.map { "\"\($0)\" IS NOT NULL" }.joined(separator: " OR ")))
          """)
        if filled ?? 0 > 0 { found.insert("\(entity.name).\(attribute.name)") }
      }
    }
    return found
  }
}
