import Foundation
import SwiftData
import SwiftDataTesting
import Testing

@Suite struct SeedTests {
  @Test(arguments: TemporaryContainer.Storage.both)
  func rowsAreStoredAndLinked(_ storage: TemporaryContainer.Storage) throws {
    let temporary = try TemporaryContainer(
      for: Trip.self, Stop.self, storage: storage, seed: Journeys.three)
    let context = temporary.makeContext()

    let lisbon = try temporary.model(Trip.self, "lisbon", in: context)

    #expect(lisbon.name == "Lisbon")
    #expect(lisbon.start == (try Date("2026-05-01T00:00:00Z", strategy: .iso8601)))
    #expect(Set(lisbon.stops.map(\.place)) == ["Belém", "Alfama"])
    #expect(try temporary.model(Stop.self, "ribeira", in: context).trip?.name == "Porto")
    #expect(try temporary.model(Trip.self, "faro", in: context).stops.isEmpty)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 4)
  }

  @Test func everyAttributeTypeHasAForm() throws {
    let temporary = try TemporaryContainer(for: Sample.self, seed: SeedTests.sample)
    let samples = try temporary.makeContext().fetch(FetchDescriptor<Sample>())
    let sample = try #require(samples.first)

    #expect(sample.text == "Ølå \"quoted\"")
    #expect(sample.int == -3)
    #expect(sample.small == -128)
    #expect(sample.large == .max)
    #expect(sample.flag)
    #expect(sample.double == .infinity)
    #expect(sample.float == 0.5)
    #expect(sample.date == Date(timeIntervalSinceReferenceDate: 1.25))
    #expect(sample.uuid == UUID(uuidString: "5E1F8A5C-0F3B-4B61-9E1C-0D2F3C1B7A90"))
    #expect(sample.url == URL(string: "https://example.org/a?b=c"))
    #expect(sample.data == Data([1, 2, 3]))
    #expect(sample.decimal == Decimal(string: "12.345"))
    #expect(sample.level == .high)
    #expect(sample.mood == .wild)
    #expect(
      sample.place
        == Sample.Place(
          name: "Belém", latitude: 38.7, since: Date(timeIntervalSinceReferenceDate: 86400)))
    #expect(sample.tags == ["a", "b"])
    #expect(sample.notes == ["x": 1])
    #expect(sample.motto == "plus ultra")
    #expect(sample.optional == nil)
  }

  static let sample: Seed = """
    {
      "Sample": [{
        "text": "Ølå \\"quoted\\"", "int": -3, "small": -128, "large": 18446744073709551615,
        "flag": true, "double": "inf", "float": 0.5, "date": 1.25,
        "uuid": "5E1F8A5C-0F3B-4B61-9E1C-0D2F3C1B7A90", "url": "https://example.org/a?b=c",
        "data": "AQID", "decimal": 12.345, "level": 2, "mood": "wild",
        "place": {"name": "Belém", "latitude": 38.7, "since": "2001-01-02T00:00:00Z"},
        "tags": ["a", "b"], "notes": {"x": 1}, "motto": "plus ultra",
        "optional": null
      }]
    }
    """

  @Test func leftOutPropertiesHaveTheirDefaults() throws {
    let temporary = try TemporaryContainer(
      for: Preset.self,
      seed: """
        {"Preset": [{}, {"name": "given", "limit": null, "$id": "second"}]}
        """)
    let context = temporary.makeContext()
    let second = try temporary.model(Preset.self, "second", in: context)
    let presets = try context.fetch(FetchDescriptor<Preset>())
    let first = try #require(presets.first { $0 !== second })

    #expect(first.name == "untitled")
    #expect(first.size == 2)
    #expect(first.level == .high)
    #expect(first.limit == 5)
    #expect(abs(first.created.timeIntervalSinceNow) < 60)
    #expect(first.cached == "initial")
    #expect(second.name == "given")
    #expect(second.limit == nil)
    // Evaluated for each row.
    #expect(first.id != second.id)
  }

  @Test func defaultsOfASubclassFollowAConstraintOfItsSuperclass() throws {
    let temporary = try TemporaryContainer(
      for: Ticket.self, SeasonTicket.self,
      seed: """
        {"SeasonTicket": [{"id": "s", "code": "A7"}]}
        """)
    let ticket = try temporary.model(SeasonTicket.self, "s", in: temporary.makeContext())

    #expect(ticket.code == "A7")
    #expect(ticket.price == 2.5)
    #expect(ticket.zone == "inner")
    #expect(ticket.rides == 30)
  }

  @Test func aPropertyNamedIDIsAValueAndALocalIdentifier() throws {
    let text = "5E1F8A5C-0F3B-4B61-9E1C-0D2F3C1B7A90"
    let temporary = try TemporaryContainer(
      for: Preset.self,
      seed: """
        {"Preset": [{"id": "5E1F8A5C-0F3B-4B61-9E1C-0D2F3C1B7A90"}]}
        """)
    let preset = try temporary.model(Preset.self, text, in: temporary.makeContext())
    #expect(preset.id.uuidString == text)
  }

  @Test func hierarchiesAndSelfReferencesAreLinked() throws {
    let temporary = try TemporaryContainer(
      for: Animal.self, Dog.self, Owner.self,
      seed: """
        {
          "Owner": [
            {"id": 1, "email": "a@example.org", "animals": ["cat"], "friends": [2]},
            {"id": 2, "email": "b@example.org"}
          ],
          "Animal": [{"id": "cat", "name": "Tom"}],
          "Dog": [{"id": "dog", "name": "Rex", "trick": "sit", "owner": 1}]
        }
        """)
    let context = temporary.makeContext()
    let owner = try temporary.model(Owner.self, "1", in: context)

    #expect(owner.animals?.map(\.name).sorted() == ["Rex", "Tom"])
    #expect(try temporary.model(Dog.self, "dog", in: context).trick == "sit")
    #expect(try temporary.model(Animal.self, "dog", in: context) is Dog)
    #expect(try temporary.model(Owner.self, "2", in: context).friendOf == [owner])
  }

  @Test func laterSeedsLinkToEarlierOnes() throws {
    let temporary = try TemporaryContainer(
      for: Trip.self, Stop.self, storage: .file, seed: Journeys.three)
    try temporary.insert(
      """
      {"Stop": [{"id": "chiado", "place": "Chiado", "trip": "lisbon"}]}
      """)
    let lisbon = try temporary.model(Trip.self, "lisbon", in: temporary.makeContext())
    #expect(lisbon.stops.count == 3)
  }

  @Test func aSeedIsReadFromAFile() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, storage: .file)
    let file = try #require(temporary.url).deletingLastPathComponent()
      .appendingPathComponent("seed.json")
    try Data(#"{"Trip": [{"name": "Faro"}]}"#.utf8).write(to: file)
    try temporary.insert(Seed(contentsOf: file))
    #expect(try temporary.makeContext().fetch(FetchDescriptor<Trip>()).map(\.name) == ["Faro"])
  }

  @Test func textThatIsNoLiteralIsJSONToo() throws {
    let json = Data(#"{"Trip": [{"name": "Faro"}]}"#.utf8)
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, seed: Seed(json: json))
    #expect(try temporary.makeContext().fetchCount(FetchDescriptor<Trip>()) == 1)
  }

  // MARK: Errors

  @Test(arguments: [
    (
      #"{"Tripp": []}"#,
      "Seed, Tripp: the schema has no such entity. It has Stop, Trip."
    ),
    (#"{"Trip": {}}"#, "Seed, Trip: expected a list of rows."),
    (#"{"Trip": ["lisbon"]}"#, "Seed, Trip, row 1: expected an object."),
    (
      #"{"Trip": [{"name": "Faro"}, {"id": "lisbon", "titel": "Lisbon"}]}"#,
      "Seed, Trip, row 2 (\"lisbon\"), property titel: Trip has no such property. It has name, "
        + "start, stops."
    ),
    (
      #"{"Trip": [{"id": "lisbon"}]}"#,
      "Seed, Trip, row 1 (\"lisbon\"), property name: no value, but the property is required and "
        + "has no default in its declaration."
    ),
    (
      #"{"Trip": [{"name": null}]}"#,
      "Seed, Trip, row 1, property name: null, but the property is not optional."
    ),
    (
      #"{"Trip": [{"name": 5}]}"#,
      "Seed, Trip, row 1, property name: expected a value of type String; "
    ),
    (
      #"{"Trip": [{"name": "Faro", "start": "tomorrow"}]}"#,
      "Seed, Trip, row 1, property start: expected a date such as \"2026-05-01T09:30:00Z\"; "
        + "\"tomorrow\" is no date."
    ),
    (
      #"{"Trip": [{"name": "Faro", "start": "2026-05-01T09:30:00"}]}"#,
      "Seed, Trip, row 1, property start: expected a date such as \"2026-05-01T09:30:00Z\"; "
        + "\"2026-05-01T09:30:00\" is neither a day such as \"2026-05-01\" nor a time with a zone, "
        + "such as Z for UTC."
    ),
    (
      #"{"Trip": [{"name": "Faro", "start": "2026-02-30"}]}"#,
      "Seed, Trip, row 1, property start: expected a date such as \"2026-05-01T09:30:00Z\"; "
        + "\"2026-02-30\" is neither a day such as \"2026-05-01\" nor a time with a zone, such as Z "
        + "for UTC."
    ),
    (
      #"{"Trip": [{"name": "Faro", "stops": ["belem"]}]}"#,
      "Seed, Trip, row 1, property stops: no row of Stop has the id \"belem\"."
    ),
    (
      """
      {
        "Trip": [
          {"id": "faro", "name": "Faro", "stops": ["belem"]}, {"name": "Porto", "stops": ["belem"]}
        ],
        "Stop": [{"id": "belem", "place": "Belém"}]
      }
      """,
      "Seed, Trip, row 2, property stops: the row with the id \"belem\" has one Trip at most, and "
        + "Trip, row 1 (\"faro\"), property stops says otherwise. Keep one of the two entries."
    ),
    (
      """
      {
        "Trip": [
          {"id": "faro", "name": "Faro"}, {"id": "porto", "name": "Porto", "stops": ["belem"]}
        ],
        "Stop": [{"id": "belem", "place": "Belém", "trip": "faro"}]
      }
      """,
      "Seed, Trip, row 2 (\"porto\"), property stops: the row with the id \"belem\" has one Trip at "
        + "most, and Stop, row 1 (\"belem\"), property trip says otherwise. Keep one of the two "
        + "entries."
    ),
    (
      """
      {
        "Trip": [{"name": "Faro", "stops": ["belem"]}],
        "Stop": [{"id": "belem", "place": "Belém", "trip": null}]
      }
      """,
      "Seed, Trip, row 1, property stops: the row with the id \"belem\" has one Trip at most, and "
        + "Stop, row 1 (\"belem\"), property trip says otherwise. Keep one of the two entries."
    ),
    (
      #"{"Trip": [{"name": "Faro", "stops": "belem"}]}"#,
      "Seed, Trip, row 1, property stops: expected a list of the ids of rows of Stop."
    ),
    (
      #"{"Stop": [{"place": "Belém", "trip": ["lisbon"]}]}"#,
      "Seed, Stop, row 1, property trip: expected the id of a row of Trip."
    ),
    (
      #"{"Trip": [{"id": 1, "name": "Faro"}, {"id": "1", "name": "Porto"}]}"#,
      "Seed, Trip, row 2 (\"1\"), property id: another row has the same id. Rows of one entity and "
        + "of its subclasses need different ones."
    ),
    (
      #"{"Trip": [{"id": [], "name": "Faro"}]}"#,
      "Seed, Trip, row 1, property id: expected a text or a whole number."
    ),
    (#"{"Trip": [{"name": "Faro"}"#, "Seed: not valid JSON: "),
  ])
  func aFaultyRowIsNamed(_ json: String, _ message: String) throws {
    for storage in TemporaryContainer.Storage.both {
      let temporary = try TemporaryContainer(for: Trip.self, Stop.self, storage: storage)
      let error = #expect(throws: SeedError.self) {
        try temporary.insert(Seed(json: Data(json.utf8)))
      }
      let text = try #require(error?.description)
      #expect(message.hasSuffix(".") ? text == message : text.hasPrefix(message), "\(text)")
      #expect(try temporary.contents() == "{}")
    }
  }

  @Test func aPathInsideAValueIsNamed() throws {
    let json = """
      {"Sample": [{"place": {"name": "Belém", "latitude": "north"}}]}
      """
    let error = #expect(throws: SeedError.self) {
      try TemporaryContainer(for: Sample.self, seed: Seed(json: Data(json.utf8)))
    }
    #expect(
      error?.description.hasPrefix(
        "Seed, Sample, row 1, property place: expected a value of type Place; latitude: ") == true,
      "\(error as Any)")
  }

  @Test(arguments: [
    (#""int": 1.5"#, "int: expected a value of type Int; "),
    (#""int": 9223372036854775808"#, "int: expected a value of type Int; "),
    (#""small": 1e30"#, "small: expected a value of type Int8; "),
    (#""decimal": "0.1""#, "decimal: expected a number."),
  ])
  func aNumberThatDoesNotFitIsNamed(_ value: String, _ problem: String) throws {
    let error = #expect(throws: SeedError.self) {
      try TemporaryContainer(
        for: Sample.self, seed: Seed(json: Data(#"{"Sample": [{\#(value)}]}"#.utf8)))
    }
    let text = try #require(error?.description)
    #expect(text.hasPrefix("Seed, Sample, row 1, property \(problem)"), "\(text)")
  }

  @Test func aRequiredRelationshipIsNeeded() throws {
    let error = #expect(throws: SeedError.self) {
      try TemporaryContainer(
        for: Animal.self, Dog.self, Owner.self,
        seed: """
          {"Dog": [{"name": "Rex"}]}
          """)
    }
    #expect(
      error?.description
        == "Seed, Dog, row 1, property owner: no value, but the relationship is required. Give it "
        + "the id of a row of Owner.", "\(error as Any)")
  }

  @Test func aLinkToAnotherClassIsRefused() throws {
    let error = #expect(throws: SeedError.self) {
      try TemporaryContainer(
        for: Kennel.self, Animal.self, Dog.self, Owner.self,
        seed: """
          {
            "Owner": [{"id": "a", "email": "a@example.org"}],
            "Animal": [{"id": "cat", "name": "Tom", "owner": "a"}],
            "Kennel": [{"dogs": ["cat"]}]
          }
          """)
    }
    #expect(
      error?.problem == "the row with the id \"cat\" is a Animal, no Dog", "\(error as Any)")
  }

  @Test func listsWithoutAnInverseDoNotShareMembers() throws {
    let error = #expect(throws: SeedError.self) {
      try TemporaryContainer(
        for: Kennel.self, Animal.self, Dog.self, Owner.self,
        seed: """
          {
            "Owner": [{"id": "a", "email": "a@example.org"}],
            "Dog": [{"id": "rex", "name": "Rex", "owner": "a"}],
            "Kennel": [{"dogs": ["rex"]}, {"dogs": ["rex"]}]
          }
          """)
    }
    #expect(
      error?.description
        == "Seed, Kennel, row 2, property dogs: the row with the id \"rex\" has one Kennel at most, "
        + "and Kennel, row 1, property dogs says otherwise. Keep one of the two entries.",
      "\(error as Any)")
  }

  @Test func bothSidesOfALinkMayBeGiven() throws {
    let temporary = try TemporaryContainer(
      for: Animal.self, Dog.self, Owner.self,
      seed: """
        {
          "Owner": [
            {"id": 1, "email": "a@example.org", "animals": ["rex"], "friends": [2]},
            {"id": 2, "email": "b@example.org", "friendOf": [1], "friends": [1]}
          ],
          "Dog": [{"id": "rex", "name": "Rex", "owner": 1}]
        }
        """)
    let context = temporary.makeContext()
    let owner = try temporary.model(Owner.self, "1", in: context)
    #expect(owner.animals?.map(\.name) == ["Rex"])
    #expect(owner.friends.map(\.email) == ["b@example.org"])
    #expect(owner.friendOf.map(\.email) == ["b@example.org"])
  }

  @Test func rulesOfTheModelsApply() throws {
    let temporary = try TemporaryContainer(
      for: Kennel.self, Animal.self, Dog.self, Owner.self, storage: .file)
    let error = #expect(throws: SeedError.self) {
      try temporary.insert(
        """
        {"Kennel": [{}]}
        """)
    }
    #expect(error?.entity == "Kennel")
    #expect(error?.property == "dogs")
    #expect(error?.problem.hasPrefix("the models can't be saved: ") == true, "\(error as Any)")
    #expect(try temporary.contents() == "{}")
  }

  @Test func rowsWithEqualUniqueValuesAreNotMerged() throws {
    let temporary = try TemporaryContainer(for: Animal.self, Dog.self, Owner.self)
    let seed: Seed = """
      {"Owner": [{"email": "a@example.org"}]}
      """
    #expect(throws: SeedError.self) {
      try temporary.insert(
        """
        {"Owner": [{"email": "a@example.org"}, {"email": "a@example.org"}]}
        """)
    }
    #expect(try temporary.contents() == "{}")
    try temporary.insert(seed)
    let error = #expect(throws: SeedError.self) { try temporary.insert(seed) }
    #expect(error?.entity == "Owner")
    #expect(error?.property == "email")
  }

  @Test func aModelOfNoSeedIsNamed() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, seed: Journeys.three)
    let context = temporary.makeContext()
    let error = #expect(throws: SeedError.self) {
      try temporary.model(Trip.self, "rome", in: context)
    }
    #expect(error?.description == "Seed, Trip, row \"rome\": no seed has a row with this id.")
    context.delete(try temporary.model(Trip.self, "faro", in: context))
    try context.save()
    #expect(throws: SeedError.self) {
      try temporary.model(Trip.self, "faro", in: temporary.makeContext())
    }
  }

  @Test func valuesWithoutJSONFormAreRefused() throws {
    let error = #expect(throws: SeedError.self) {
      try TemporaryContainer(
        for: Painting.self,
        seed: """
          {"Painting": [{"color": "red"}]}
          """)
    }
    #expect(
      error?.problem.hasPrefix("values of type Color have no JSON form") == true,
      "\(error as Any)")
    let temporary = try TemporaryContainer(
      for: Painting.self,
      seed: """
        {"Painting": [{}]}
        """)
    #expect(
      try temporary.makeContext().fetch(FetchDescriptor<Painting>()).map(\.color?.name) == [nil])
  }
}

@Model
private final class Kennel {
  @Relationship(minimumModelCount: 1) var dogs: [Dog] = []

  init() {}
}
