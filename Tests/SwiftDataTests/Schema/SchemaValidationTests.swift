import SwiftData
import Testing

@Suite struct SchemaValidationTests {
  @Test func aGoodSchemaHasNoProblems() {
    expect(
      problems(
        entity("Trip", relationship("stays", [Other].self, to: "Stay")),
        entity(
          "Stay", attribute("name", String.self, .unique),
          relationship("trip", Other?.self, to: "Trip"))), [])
  }

  @Test func aConstraintOfInheritedPropertiesOnly() {
    func hierarchy(_ constraint: [String]) -> [String] {
      let vehicle = entity(
        "Vehicle", attribute("name", String.self), attribute("code", String.self, .unique))
      let car = entity("Car", attribute("plate", String.self))
      let van = entity("Van", attribute("load", Int.self))
      (car.superentityName, van.superentityName) = ("Vehicle", "Car")
      van.uniquenessConstraints = [constraint]
      return problems(vehicle, car, van)
    }
    expect(
      hierarchy(["name"]),
      [["(Van.name)", "concern all models of Vehicle", "Declare it in Vehicle"]])
    expect(hierarchy(["name", "plate"]), [["(Van.name, plate)", "Declare it in Car"]])
    // The rows of other classes have no value of a property of the class itself.
    expect(hierarchy(["name", "load"]), [])
    // The superclass has the constraint too.
    expect(hierarchy(["code"]), [])
  }

  @Test func twoModelsOfOneName() {
    expect(
      problems(entity("Item"), entity("Item")),
      [["(Item)", "Two models are named Item", "Rename one of them"]])
  }

  /// Only root classes have tables.
  @Test func twoModelsWhoseTablesHaveOneName() {
    expect(
      problems(entity("Odd"), entity("ODD"), entity("Even")),
      [["(ODD)", "models Odd and ODD differ only in case", "Rename one of them"]])
    let subclasses = [entity("Odd"), entity("Even"), entity("ODD")]
    subclasses[2].superentityName = "Even"
    expect(problems(subclasses[0], subclasses[1], subclasses[2]), [])
  }

  @Test func aDestinationThatIsMissing() {
    expect(
      problems(entity("Trip", relationship("stay", Other?.self, to: "Stay"))),
      [["(Trip.stay)", "refers to Stay, which is not in the schema", "Add Stay to the schema"]])
  }

  @Test func anInverseThatIsMissing() {
    expect(
      problems(
        entity("Trip", relationship("stay", Other?.self, to: "Stay", inverse: "journey")),
        entity("Stay", attribute("journey", String.self))),
      [["(Trip.stay)", "'journey' is not a relationship of Stay", "refers to Trip"]])
  }

  @Test func anInverseThatLeadsElsewhere() {
    expect(
      problems(
        entity("Trip", relationship("stay", Other?.self, to: "Stay", inverse: "hotel")),
        entity("Stay", relationship("hotel", Other?.self, to: "Hotel")), entity("Hotel")),
      [["(Trip.stay)", "Stay.hotel refers to Hotel, not to Trip"]])
  }

  @Test func anInverseThatIsTaken() {
    expect(
      problems(
        entity(
          "Team", relationship("home", [Other].self, to: "Game", inverse: "team"),
          relationship("away", [Other].self, to: "Game", inverse: "team")),
        entity("Game", relationship("team", Other?.self, to: "Team"))),
      [["(Team.away)", "Game.team is already the inverse of 'home'"]])
  }

  @Test func aTypeThatCannotBeStored() {
    expect(
      problems(entity("Item", attribute("plain", Plain.self))),
      [["(Item.plain)", "Plain is not Codable", "@Transient"]])
    #expect(problems(entity("Item", attribute("x", Plain.self, .transformable(by: "T")))).isEmpty)
  }

  @Test func optionsThatExcludeEachOther() {
    let text = "'unique' and 'ephemeral' cannot be combined on property 'code'"
    expect(
      problems(entity("Trip", attribute("code", String.self, .unique, .ephemeral))),
      [["(Trip.code)", text, "no store can compare it", "Remove one of them"]])
    expect(problems(entity("Trip", attribute("code", String.self, .ephemeral))), [])
  }

  /// The macro does not see the options of an attribute that is changed later.
  @Test func aContainerRefusesAUniqueValueThatIsNotStored() throws {
    let entity = try #require(Schema([Coded.self]).entitiesByName["Coded"])
    try #require(entity.attributesByName["code"]).options.append(.unique)
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Schema(entity), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    #expect(error?.entity == "Coded" && error?.property == "code")
  }

  @Test func constraintsOfUnknownProperties() {
    let item = entity("Item", attribute("name", String.self))
    item.uniquenessConstraints = [["name", "code"]]
    item.indices = [["colour"]]
    expect(
      problems(item),
      [["(Item.code)", "#Unique names a property"], ["(Item.colour)", "#Index names a property"]])
  }

  @Test func constraintsOfToManyRelationships() {
    let item = entity("Item", relationship("parts", [Other].self, to: "Item"))
    item.uniquenessConstraints = [["parts"]]
    expect(problems(item), [["(Item.parts)", "#Unique cannot cover a to-many relationship"]])
  }

  @Test func constraintsOfEphemeralProperties() {
    let item = entity(
      "Item", attribute("name", String.self), attribute("code", String.self, .ephemeral),
      attribute("place", PostalAddress.self, .ephemeral))
    item.uniquenessConstraints = [["name", "code"]]
    item.indices = [["place.street"]]
    expect(
      problems(item),
      [
        ["(Item.code)", "#Unique cannot cover an ephemeral property", "Remove the option"],
        ["(Item.place.street)", "#Index cannot cover an ephemeral property"],
      ])
  }

  /// A store would compare only the names.
  @Test func aContainerRefusesAConstraintOfAValueThatIsNotStored() throws {
    let entity = try #require(Schema([Coded.self]).entitiesByName["Coded"])
    entity.uniquenessConstraints = [["name", "code"]]
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Schema(entity), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    #expect(error?.entity == "Coded" && error?.property == "code")
  }

  @Test func constraintsMayNameLeaves() {
    let item = entity("Item", attribute("address", PostalAddress.self))
    item.indices = [["address.street"]]
    #expect(problems(item).isEmpty)
  }

  @Test func aSuperclassThatIsMissing() {
    let sub = entity("Business")
    sub.superentityName = "Trip"
    expect(problems(sub), [["(Business)", "superclass Trip is not in the schema"]])
  }

  @Test func propertiesOfOneName() {
    let base = entity("Trip", attribute("name", String.self))
    let sub = entity("Business", attribute("name", String.self))
    sub.superentityName = "Trip"
    expect(problems(base, sub), [["(Business.name)", "Two properties have this name"]])
  }

  @Test func countsThatExcludeEachOther() {
    let parts = relationship("parts", [Other].self, to: "Item")
    parts.minimumModelCount = 3
    parts.maximumModelCount = 2
    expect(problems(entity("Item", parts)), [["(Item.parts)", "minimum count 3"]])
  }

  @Test func severalProblemsAreReportedTogether() {
    let error = #expect(throws: SwiftDataError.self) {
      try Schema.validated(
        entities: [
          entity("Item", attribute("plain", Plain.self)),
          entity("Trip", relationship("stay", Other?.self, to: "Stay")),
        ], version: .init(1, 0, 0))
    }
    #expect(error == .loadIssueModelContainer)
    #expect(error?.description.contains("Item.plain: ") == true)
    #expect(error?.description.contains("Trip.stay: ") == true)
  }

  private func expect(
    _ problems: [String], _ parts: [[String]], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(problems.count == parts.count, "\(problems)", sourceLocation: sourceLocation)
    for (problem, parts) in zip(problems, parts) {
      for part in parts {
        #expect(problem.contains(part), "\(problem)", sourceLocation: sourceLocation)
      }
    }
  }
}

@Model private final class Coded {
  var name = ""
  @Attribute(.ephemeral) var code = ""
  init() {}
}
