import Foundation
import SwiftData
import Testing

/// Opening a store takes time in proportion to the number of its entities.
@Suite struct MappingGrowthTests {
  /// As many entities as are asked for, all with the properties of one class.
  private func map(_ count: Int) -> SchemaMapping {
    let names = (0..<count).map { "Entity\($0)" }
    let schema = Schema(
      entities: names.map { name in
        let entity = Schema.Entity(name)
        entity.storedProperties = [
          Schema.Attribute(name: "title", valueType: String.self),
          Schema.Attribute(name: "pages", valueType: Int.self),
        ]
        return entity
      }, version: Schema.Version(1, 0, 0))
    let descriptor = Blog.Writer._$descriptor
    return SchemaMapping(
      schema: schema,
      descriptors: Dictionary(uniqueKeysWithValues: names.map { ($0, descriptor) }))
  }

  @Test func mappingManyEntities() {
    Growth.expectLinear(from: 200) { count in
      Growth.seconds { #expect(map(count).entities.count == count) }
    }
  }
}
