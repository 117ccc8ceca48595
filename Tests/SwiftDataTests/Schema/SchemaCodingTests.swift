import Foundation
import SwiftData
import Testing

@Suite struct SchemaCodingTests {
  private func sample() -> Schema {
    let stays = relationship("stays", [Other]?.self, to: "Stay")
    stays.deleteRule = .cascade
    let trip = entity(
      "Trip", attribute("name", String.self, .unique, .transformable(by: "Name")),
      attribute("start", Date?.self), attribute("place", MapPoint.self), stays)
    trip.indices = [["name", "start"]]
    let business = entity(
      "Business",
      Schema.CompositeAttribute(
        name: "address", originalName: "site", valueType: PostalAddress?.self))
    business.superentityName = "Trip"
    let owner = relationship("trip", Other?.self, to: "Trip")
    owner.options = [.unique]
    return Schema(trip, business, entity("Stay", owner), version: .init(1, 2, 3))
  }

  @Test func aSchemaIsEqualToItsCopy() throws {
    let schema = sample()
    let copy = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
    #expect(copy == schema)
    #expect(copy.hashValue == schema.hashValue)
    #expect(copy.entities.map(\.name) == ["Trip", "Business", "Stay"])
    #expect(copy.entitiesByName["Business"]?.superentity?.name == "Trip")
    #expect(copy.problems.isEmpty)
    let address = try #require(
      copy.entitiesByName["Business"]?.attributesByName["address"] as? Schema.CompositeAttribute)
    #expect(address.properties.map(\.name) == ["street", "zip", "latitude", "longitude"])
    #expect(address.originalName == "site")
    #expect(address.isOptional)
    let start = try #require(copy.entitiesByName["Trip"]?.attributesByName["start"])
    #expect(start.valueTypeName == "Date")
    #expect("\(start.valueType)" == "Date")
    #expect(start.isOptional)
  }

  @Test func aSchemaIsSavedAndLoaded() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).schema")
    defer { try? FileManager.default.removeItem(at: file) }
    try sample().save(to: file)
    #expect(try Schema.load(from: file) == sample())
  }

  @Test func everyDifferenceCounts() {
    let base = { entity("Item", attribute("name", String.self)) }
    #expect(Schema(base()) == Schema(base()))
    #expect(Schema(base()) != Schema(base(), version: .init(2, 0, 0)))
    #expect(Schema(base()) != Schema(entity("Item", attribute("name", String?.self))))
    #expect(Schema(base()) != Schema(entity("Item", attribute("name", Int.self))))
    #expect(Schema(base()) != Schema(entity("Item", attribute("name", String.self, .spotlight))))
    #expect(Schema(base()) != Schema(entity("Item", attribute("title", String.self))))
    #expect(Schema(base()) != Schema(base(), entity("Other")))
    let unique = base()
    unique.uniquenessConstraints = [["name"]]
    #expect(Schema(base()) != Schema(unique))
  }

  @Test func theOrderOfEntitiesDoesNotCount() {
    #expect(Schema(entity("A"), entity("B")) == Schema(entity("B"), entity("A")))
  }

  @Test func versionsAreOrdered() throws {
    #expect(Schema.Version(1, 9, 0) < Schema.Version(1, 10, 0))
    #expect(Schema.Version(1, 2, 3) < Schema.Version(2, 0, 0))
    #expect(Schema.Version(1, 2, 3).description == "1.2.3")
    let copy = try JSONDecoder().decode(
      Schema.Version.self, from: JSONEncoder().encode(Schema.Version(1, 2, 3)))
    #expect(copy == Schema.Version(1, 2, 3))
  }

  @Test func attributesOfOptionalsAreOptional() {
    let attribute = Schema.Attribute(name: "a", valueType: Int?.self)
    #expect("\(attribute.valueType)" == "Int")
    #expect(attribute.isOptional)
    attribute.valueType = String.self
    #expect(attribute.originalName == "a")
    let bare = Schema.Attribute(.unique, originalName: "old")
    bare.name = "new"
    bare.valueType = Date?.self
    #expect(bare.isOptional && bare.isUnique && !bare.isCodable)
    #expect(bare.originalName == "old")
  }

  @Test func relationshipsKnowTheirShape() {
    let one = relationship("a", Other.self, to: "A")
    let optionalOne = relationship("a", Other?.self, to: "A")
    let many = relationship("a", [Other].self, to: "A")
    let optionalMany = relationship("a", [Other]?.self, to: "A")
    #expect(one.isToOneRelationship && !one.isOptional)
    #expect(optionalOne.isToOneRelationship && optionalOne.isOptional)
    #expect(!many.isToOneRelationship && !many.isOptional)
    #expect(!optionalMany.isToOneRelationship && optionalMany.isOptional)
  }

  @Test func settingAttributesKeepsWhatElseTheEntityHas() {
    let item = entity(
      "Item", attribute("a", Int.self), relationship("r", Other?.self, to: "Item"),
      attribute("b", Int.self))
    item.attributes = [attribute("b", String.self), attribute("c", Int.self)]
    #expect(item.properties.map(\.name) == ["r", "b", "c"])
    item.relationshipsByName = [:]
    #expect(item.properties.map(\.name) == ["b", "c"])
  }

  @Test func descriptionsNameWhatIsThere() {
    let text = sample().debugDescription
    #expect(text.contains("Schema 1.2.3"))
    #expect(text.contains("Relationship(stays: [Stay]? <-> Stay.trip, .cascade)"))
    #expect(
      text.contains("Attribute(name: String) [.unique, .transformable(by: \"Name\")]"))
  }
}
