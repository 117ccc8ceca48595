import Foundation
import SwiftData
import Testing

/// Opening a store takes time in proportion to the number of its entities.
@Suite(.serialized) struct MappingGrowthTests {
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
    func seconds(_ count: Int) -> Double {
      (0..<3).map { _ in
        let start = ContinuousClock.now
        #expect(map(count).entities.count == count)
        return (ContinuousClock.now - start) / .seconds(1)
      }.min() ?? 0
    }
    var ratio = Double.infinity
    for _ in 0..<3 where ratio >= 9 { ratio = min(ratio, seconds(800) / seconds(200)) }
    // In proportion it is four, by the square sixteen.
    #expect(ratio < 9, "ratio \(ratio)")
  }
}
