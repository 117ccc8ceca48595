import Foundation
import SwiftData
import Testing

@Model final class IndexedTrip {
  #Index<IndexedTrip>([\.name], [\.name, \.start])
  #Unique<IndexedTrip>([\.name, \.start])

  var name: String
  var start: Date?

  init(name: String, start: Date? = nil) {
    self.name = name
    self.start = start
  }
}

@Suite struct ModelSchemaTests {
  @Test func indexesAreEncodedByNameAndDecodedEmpty() throws {
    let index = Schema.Index<IndexedTrip>([\.name, \.start])
    let data = try JSONEncoder().encode(index)
    #expect(String(decoding: data, as: UTF8.self) == #"{"indices":[["name","start"]]}"#)
    let copy = try JSONDecoder().decode(Schema.Index<IndexedTrip>.self, from: data)
    #expect(copy.indices.isEmpty)
    #expect(index == Schema.Index<IndexedTrip>(.binary([\.name, \.start])))
    #expect(index != Schema.Index<IndexedTrip>(.rtree([\.name, \.start])))
    #expect(!index.isUnique)
  }

  @Test func constraintsAreEncodedByNameAndDecodedEmpty() throws {
    let unique = Schema.Unique<IndexedTrip>([\.name])
    let data = try JSONEncoder().encode(unique)
    #expect(String(decoding: data, as: UTF8.self) == #"{"constraints":[["name"]]}"#)
    let copy = try JSONDecoder().decode(Schema.Unique<IndexedTrip>.self, from: data)
    #expect(copy.constraints.isEmpty)
    #expect(unique.isUnique)
  }

  @Test func aSchemaOfModelsHasTheirConstraints() {
    let schema = Schema([IndexedTrip.self])
    let entity = schema.entitiesByName["IndexedTrip"]
    #expect(entity?.indices == [["name"], ["name", "start"]])
    #expect(entity?.uniquenessConstraints == [["name", "start"]])
    #expect(entity?.attributesByName["start"]?.isOptional == true)
    #expect(schema.problems.isEmpty)
  }
}
