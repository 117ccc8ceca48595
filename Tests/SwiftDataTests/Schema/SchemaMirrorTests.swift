import SwiftData
import Testing

/// Code that inspects a schema with `Mirror`.
@Suite struct SchemaMirrorTests {
  @Model final class Trip {
    @Attribute(.unique, originalName: "title") var name: String
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

    init(name: String) { self.name = name }
  }

  @Model final class Stop {
    var place: String
    var trip: Trip?

    init(place: String) { self.place = place }
  }

  private func value(_ label: String, of subject: Any) -> Any? {
    Mirror(reflecting: subject).children.first { $0.label == label }?.value
  }

  @Test func theClassOfAnEntityIsFoundByItsLabel() throws {
    let entity = try #require(Schema([Trip.self]).entity(for: Trip.self))
    let type = value("_objectType", of: entity) as? any PersistentModel.Type
    #expect(type == Trip.self)
    #expect(value("name", of: entity) as? String == "Trip")
    #expect((value("storedProperties", of: entity) as? [any SchemaProperty])?.count == 2)
  }

  @Test func propertiesHaveTheirPublicNames() throws {
    let entity = try #require(Schema([Trip.self]).entity(for: Trip.self))
    let name = try #require(entity.attributesByName["name"])
    #expect(value("originalName", of: name) as? String == "title")
    #expect(value("valueType", of: name) as? any Any.Type == String.self)
    let stops = try #require(entity.relationshipsByName["stops"])
    #expect(value("destination", of: stops) as? String == "Stop")
    #expect(value("inverseName", of: stops) as? String == "trip")
    #expect(value("isOptional", of: name) as? Bool == false)
  }
}
