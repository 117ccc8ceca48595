import Foundation
import OpenSwiftDataStoreFormat
import Testing

/// Hashes that real files have.
@Suite struct VersionHashesTests {
  private func hash(_ entity: EntityDescription) -> String {
    let hashes = VersionHashes(ModelDescription(entities: [entity])).byEntity
    return hashes[entity.name]?.map { String(format: "%02x", $0) }.joined() ?? ""
  }

  private func attribute(
    _ name: String, _ type: AttributeType, isOptional: Bool = false
  ) -> PropertyDescription {
    .attribute(AttributeDescription(name: name, type: type, isOptional: isOptional))
  }

  @Test func attributes() {
    #expect(
      hash(
        EntityDescription(
          name: "User",
          properties: [
            attribute("petName", .string, isOptional: true), attribute("name", .string),
          ]))
        == "6b31f4e97b691d16c4c820bae55f89408d47013bd42151ecfde1eac7fe4be798")
  }

  @Test func relationshipsAndConstraints() {
    let item = EntityDescription(
      name: "Item",
      properties: [
        attribute("name", .string),
        .relationship(
          RelationshipDescription(
            name: "craftingRecipe", destination: "CraftingRecipe", inverse: "producedItem",
            isOptional: true, maximumCount: 1)),
      ], uniqueConstraints: [["name"]])
    #expect(hash(item) == "683a2c663d51fe60fba4165feb790087bed871d837ba64e81eb1e8836428c2a5")
    var other = item
    other.uniqueConstraints = []
    #expect(hash(other) != hash(item))
  }

  /// What does not count: rows of the one model are rows of the other.
  @Test func defaultsDeleteRulesNamesOfBeforeAndIndexesDoNotCount() {
    var plain = AttributeDescription(name: "n", type: .integer64)
    let link = RelationshipDescription(name: "to", destination: "A", maximumCount: 1)
    let first = hash(
      EntityDescription(name: "A", properties: [.attribute(plain), .relationship(link)]))
    plain.defaultValue = .integer(7)
    plain.renamingIdentifier = "m"
    plain.isIndexed = true
    var ruled = link
    ruled.deleteRule = .cascade
    let second = hash(
      EntityDescription(
        name: "A", className: "A", properties: [.attribute(plain), .relationship(ruled)],
        indexes: [IndexDescription(name: "i", elements: [.init("n")])], renamingIdentifier: "B"))
    #expect(first == second)
    plain.isOptional = true
    #expect(
      hash(EntityDescription(name: "A", properties: [.attribute(plain), .relationship(ruled)]))
        != first)
  }

  @Test func transientAttributesDoNotCountAndPreservedOnesDo() {
    var attribute = AttributeDescription(name: "n", type: .string)
    let plain = hash(EntityDescription(name: "A", properties: [.attribute(attribute)]))
    attribute.preservesValueOnDeletion = true
    #expect(hash(EntityDescription(name: "A", properties: [.attribute(attribute)])) != plain)
    attribute.isTransient = true
    #expect(
      hash(EntityDescription(name: "A", properties: [.attribute(attribute)]))
        == hash(EntityDescription(name: "A", properties: [])))
  }

  @Test func aCompositeCountsAsItsLeaves() {
    func hash(_ name: String, _ parts: [AttributeDescription], isOptional: Bool) -> String {
      var composite = AttributeDescription(name: "c", type: .composite, isOptional: isOptional)
      composite.elements = parts
      return self.hash(EntityDescription(name: "A", properties: [.attribute(composite)]))
    }
    let (a, b) = (
      AttributeDescription(name: "a", type: .string),
      AttributeDescription(name: "b", type: .integer64)
    )
    var inner = AttributeDescription(name: "inner", type: .composite)
    inner.elements = [a]
    #expect(hash("c", [a, b], isOptional: false) == hash("c", [b, inner], isOptional: true))
    #expect(hash("c", [a, b], isOptional: false) != hash("c", [a], isOptional: false))
  }

  @Test func aSubentityTakesTheHashOfItsSuperentityIn() {
    let a = EntityDescription(name: "A", properties: [attribute("n", .string)])
    let b = EntityDescription(
      name: "B", superName: "A", properties: [attribute("m", .string)])
    var abstract = a
    abstract.isAbstract = true
    let (plain, changed) = (
      VersionHashes(ModelDescription(entities: [a, b])),
      VersionHashes(ModelDescription(entities: [abstract, b]))
    )
    #expect(plain.byEntity["A"] != changed.byEntity["A"])
    #expect(plain.byEntity["B"] != changed.byEntity["B"])
    #expect(plain.checksum != changed.checksum && plain.digest != changed.digest)
    #expect(Data(base64Encoded: plain.checksum)?.count == 32)
    #expect(Data(base64Encoded: plain.digest)?.count == 64)
  }
}
