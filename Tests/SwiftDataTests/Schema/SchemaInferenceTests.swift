import SwiftData
import Testing

@Suite struct SchemaInferenceTests {
  @Test func anArrayPairsWithAnOptionalToOne() {
    expect(
      inverses(
        entity("Trip", relationship("stays", [Other].self, to: "Stay")),
        entity("Stay", relationship("trip", Other?.self, to: "Trip"))),
      ["Trip.stays <-> trip", "Stay.trip <-> stays"])
  }

  @Test func twoOptionalToOnesPair() {
    expect(
      inverses(
        entity("Person", relationship("passport", Other?.self, to: "Passport")),
        entity("Passport", relationship("owner", Other?.self, to: "Person"))),
      ["Person.passport <-> owner", "Passport.owner <-> passport"])
  }

  @Test func aRequiredToOneStandsAlone() {
    expect(
      inverses(
        entity("Trip", relationship("stays", [Other].self, to: "Stay")),
        entity("Stay", relationship("trip", Other.self, to: "Trip"))),
      ["Trip.stays <-> -", "Stay.trip <-> -"])
  }

  @Test func manyToManyIsSpelledOut() {
    expect(
      inverses(
        entity("Quote", relationship("tags", [Other].self, to: "Tag")),
        entity("Tag", relationship("quotes", [Other].self, to: "Quote"))),
      ["Quote.tags <-> -", "Tag.quotes <-> -"])
    expect(
      inverses(
        entity("Quote", relationship("tags", [Other].self, to: "Tag", inverse: "quotes")),
        entity("Tag", relationship("quotes", [Other]?.self, to: "Quote"))),
      ["Quote.tags <-> quotes", "Tag.quotes <-> tags"])
  }

  @Test func severalCandidatesAreNotInferred() {
    expect(
      inverses(
        entity(
          "Team", relationship("home", [Other].self, to: "Game"),
          relationship("away", [Other].self, to: "Game")),
        entity("Game", relationship("team", Other?.self, to: "Team"))),
      ["Team.home <-> -", "Team.away <-> -", "Game.team <-> -"])
  }

  @Test func anExplicitInverseLeavesTheOthersUnambiguous() {
    expect(
      inverses(
        entity(
          "Team", relationship("home", [Other].self, to: "Game", inverse: "host"),
          relationship("away", [Other].self, to: "Game")),
        entity(
          "Game", relationship("host", Other?.self, to: "Team"),
          relationship("guest", Other?.self, to: "Team"))),
      ["Team.home <-> host", "Team.away <-> guest", "Game.host <-> home", "Game.guest <-> away"])
  }

  @Test func parentAndChildrenOfOneEntityPair() {
    expect(
      inverses(
        entity(
          "Folder", relationship("parent", Other?.self, to: "Folder"),
          relationship("children", [Other].self, to: "Folder"))),
      ["Folder.parent <-> children", "Folder.children <-> parent"])
  }

  @Test func motherAndFatherDoNotPair() {
    expect(
      inverses(
        entity(
          "Person", relationship("mother", Other?.self, to: "Person"),
          relationship("father", Other?.self, to: "Person"))),
      ["Person.mother <-> -", "Person.father <-> -"])
  }

  @Test func hierarchiesAreLinked() throws {
    let base = entity("Trip", attribute("name", String.self))
    let sub = entity("Business", attribute("cost", Double.self))
    sub.superentityName = "Trip"
    let schema = Schema(sub, base)
    #expect(sub.superentity === base)
    #expect(base.subentities == [sub])
    #expect(sub.properties.map(\.name) == ["name", "cost"])
    #expect(sub.attributesByName.keys.sorted() == ["cost", "name"])
    #expect(sub.storedPropertiesByName.keys.sorted() == ["cost"])
    #expect(sub.isKind(of: base))
    #expect(sub.rootEntity === base)
    #expect(schema.problems.isEmpty)
  }

  @Test func uniqueAttributesBecomeConstraintsOnce() {
    let item = entity("Item", attribute("code", String.self, .unique))
    _ = Schema(item)
    _ = Schema(item)
    #expect(item.uniquenessConstraints == [["code"]])
  }

  @Test func toOneRelationshipsHaveAtMostOneModel() {
    let one = relationship("one", Other?.self, to: "Item")
    let many = relationship("many", [Other].self, to: "Item")
    _ = Schema(entity("Item", one, many))
    #expect(one.maximumModelCount == 1)
    #expect(many.maximumModelCount == 0)
  }

  private func expect(
    _ inverses: [String], _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(inverses == expected, sourceLocation: sourceLocation)
  }
}
