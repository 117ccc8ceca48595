import Foundation
import SwiftData
import Testing

/// Plain values of all types of properties: to plain data, through JSON, and back.
struct PlainValueTests {
  private func roundTrip<V: Codable>(_ value: V) throws -> V {
    let plain = try DataStoreValue(encoding: value)
    let data = try JSONEncoder().encode(plain)
    let decoded = try JSONDecoder().decode(DataStoreValue.self, from: data)
    return try decoded.decoded(as: V.self)
  }

  private func check<V: Codable & Equatable>(
    _ value: V, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try roundTrip(value) == value, sourceLocation: sourceLocation)
    #expect(try roundTrip(Optional(value)) == value, sourceLocation: sourceLocation)
    #expect(try roundTrip([value]) == [value], sourceLocation: sourceLocation)
    #expect(try roundTrip(["a": value]) == ["a": value], sourceLocation: sourceLocation)
  }

  @Test func numbers() throws {
    for number in [Int.min, -1, 0, Int.max] { try check(number) }
    for number in [UInt64.min, 1 << 63, .max] { try check(number) }
    for number in [Int128.min, -1, 0, .max] { try check(number) }
    for number in [UInt128.min, .max] { try check(number) }
    try check(Int8.min)
    try check(UInt16.max)
    try check(Float(0.1))
    for number in [0.1, -0.0, .infinity, -.infinity, .leastNonzeroMagnitude, 1e308, -2.5] {
      try check(number)
      #expect(try roundTrip(number).sign == number.sign)
      #expect(try roundTrip(Float(number)) == Float(number))
    }
    #expect(try roundTrip(Double.nan).isNaN)
    for text in ["0", "1.50", "-3", "123456789012345678.25", "99999999999999999999999999e60"] {
      try check(try #require(Decimal(string: text)))
    }
    #expect(try roundTrip(Decimal.nan).isNaN)
  }

  @Test func otherSingleValues() throws {
    try check(true)
    try check("caf\u{e9} \0 \u{1F600}")
    try check(Data([0, 255]))
    for date in [Date.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 0.1)] {
      try check(date)
    }
    try check(UUID())
    try check(try #require(URL(string: "https://example.org/a?b#c")))
    try check(Journeys.Grade.luxury)
    #expect(try DataStoreValue(encoding: Journeys.Grade.luxury) == .string("luxury"))
    #expect(try roundTrip(String?.none) == nil)
    #expect(try DataStoreValue(encoding: Int?.none) == .null)
  }

  @Test func compositesAndCollections() throws {
    let lodging = Journeys.Lodging(street: "Main", rooms: nil, spot: .init(x: -0.0, y: .infinity))
    try check(lodging)
    #expect(
      try DataStoreValue(encoding: lodging)
        == .composite([
          "street": .string("Main"), "at": .composite(["x": .double(0), "y": .double(.infinity)]),
        ]))
    for season in [Journeys.Season.summer, .weeks([1, 2])] { try check(season) }
    try check([Journeys.Grade.comfort, .standard])
    try check([[1], []])
    try check([1, nil, 3])
    try check([UUID(): 1, UUID(): 2])
    try check([1: "a", 2: "b"])
    try check(Journeys.Badge("Gold"))
    try check(Duration.seconds(1) / 3)
    try check(Set(["b", "a", "c"]))
    #expect(
      try DataStoreValue(encoding: Set([3, 1, 2]))
        == .list([.integer(1), .integer(2), .integer(3)]))
    let keys = [true: 1, false: 2]
    #expect(
      try DataStoreValue(encoding: keys)
        == .list([.boolean(false), .integer(2), .boolean(true), .integer(1)]))
  }

  @Test func valuesThatDoNotFitAreRefused() {
    let wrong: [(DataStoreValue, any Decodable.Type)] = [
      (.string("1"), Int.self), (.integer(300), Int8.self), (.integer(-1), UInt.self),
      (.double(0.5), Int.self), (.null, String.self), (.string("gold"), Journeys.Grade.self),
      (.list([.string("a")]), [Int].self), (.composite([:]), Journeys.Lodging.self),
      (.integer(.max), Double.self), (.double(.nan), Int.self),
    ]
    for (value, type) in wrong {
      #expect(throws: DecodingError.self, "\(value) as \(type)") { try value.decoded(as: type) }
    }
  }

  @Test func numbersOfOtherKindsAreAcceptedIfTheyAreExact() throws {
    #expect(try DataStoreValue.integer(3).decoded(as: UInt8.self) == 3)
    #expect(try DataStoreValue.unsigned(3).decoded(as: Int.self) == 3)
    #expect(try DataStoreValue.double(3).decoded(as: Int.self) == 3)
    #expect(try DataStoreValue.integer(3).decoded(as: Double.self) == 3)
    #expect(try DataStoreValue.integer(3).decoded(as: Decimal.self) == 3)
  }

  // MARK: Snapshots

  private struct Fixture {
    let schema = Schema(Journeys.types)
    let container: ModelContainer
    let context: ModelContext
    let trip: Journeys.Trip

    init() throws {
      container = try ModelContainer(
        for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      context = ModelContext(container)
      trip = Journeys.Trip("x1")
      context.insert(trip)
      trip.name = "Rome"
      trip.price = try #require(Decimal(string: "123456789012345678.25"))
      trip.grade = .luxury
      trip.season = .weeks([3])
      trip.lodging = .init(street: "Main", rooms: 2, spot: .init(x: 1, y: 2))
      trip.tags = ["a", "b"]
      trip.codes = ["k": 1]
      trip.badge = .init("Gold")
      trip.secret = "abc"
      trip.traveller = Journeys.Traveller("Ann")
      trip.stops = [Journeys.Stop("Rome", nights: 2)]
      try context.save()
    }

    var snapshot: DefaultSnapshot {
      var related: [PersistentIdentifier: any BackingData] = [:]
      func make<B: BackingData>(_ data: B) -> DefaultSnapshot {
        DefaultSnapshot(from: data, relatedBackingDatas: &related)
      }
      return make(trip.persistentBackingData)
    }
  }

  @Test func aSnapshotHasTheValuesOfAllProperties() throws {
    let fixture = try Fixture()
    #expect(fixture.trip.stops.count == 1)
    let values = try fixture.snapshot.values()
    let traveller = try #require(fixture.trip.traveller).persistentModelID
    #expect(values["code"] == .string("x1"))
    #expect(values["name"] == .string("Rome"))
    #expect(values["end"] == .null)
    #expect(values["price"] == .decimal(fixture.trip.price))
    #expect(values["grade"] == .string("luxury"))
    #expect(values["tags"] == .list([.string("a"), .string("b")]))
    #expect(values["codes"] == .composite(["k": .integer(1)]))
    #expect(values["badge"] == .string("Gold"))
    #expect(values["secret"] == .data(Data("cba".utf8)))
    #expect(values["traveller"] == .identifier(traveller))
    #expect(values["stops"] == .list(fixture.trip.stops.map { .identifier($0.persistentModelID) }))
    #expect(values["persistentIdentifier"] == nil)
  }

  @Test func aSnapshotOfPlainValuesHasTheSameValues() throws {
    let fixture = try Fixture()
    let values = try fixture.snapshot.values()
    let data = try JSONEncoder().encode(values)
    let decoded = try JSONDecoder().decode([String: DataStoreValue].self, from: data)
    let snapshot = try DefaultSnapshot(
      persistentIdentifier: fixture.trip.persistentModelID, values: decoded,
      schema: fixture.schema)
    #expect(try snapshot.values() == values)
    #expect(snapshot.persistentIdentifier == fixture.trip.persistentModelID)
  }

  @Test func missingValuesAreDefaultsOrNil() throws {
    let fixture = try Fixture()
    let snapshot = try DefaultSnapshot(
      persistentIdentifier: fixture.trip.persistentModelID, values: ["code": .string("x")],
      schema: fixture.schema)
    let values = try snapshot.values()
    #expect(values["seats"] == .integer(0))
    #expect(values["grade"] == .string("standard"))
    #expect(values["end"] == .null)
  }

  @Test(arguments: [
    (["code": DataStoreValue.integer(1)], "code"), (["code": .null], "code"), ([:], "code"),
    (["code": .string("a"), "colour": .string("red")], "colour"),
    (["code": .string("a"), "traveller": .string("Ann")], "traveller"),
    (["code": .string("a"), "stops": .list([.string("Rome")])], "stops"),
    (["code": .string("a"), "stops": .integer(1)], "stops"),
    (["code": .string("a"), "secret": .string("x")], "secret"),
    (["code": .string("a"), "grade": .string("gold")], "grade"),
    (["code": .string("a"), "lodging": .composite(["street": .integer(1)])], "lodging"),
  ])
  func unfitValuesAreNamed(_ values: [String: DataStoreValue], _ property: String) throws {
    let fixture = try Fixture()
    let error = #expect(throws: SwiftDataError.storeReadFailure) {
      try DefaultSnapshot(
        persistentIdentifier: fixture.trip.persistentModelID, values: values,
        schema: fixture.schema)
    }
    #expect(error?.entity == "Trip" && error?.property == property)
  }

  @Test func anEntityThatTheSchemaLacksIsRefused() throws {
    let identifier = try PersistentIdentifier.identifier(
      for: "store", entityName: "Nobody", primaryKey: "a")
    #expect(throws: SwiftDataError.unknownSchema) {
      try DefaultSnapshot(persistentIdentifier: identifier, values: [:], schema: Schema())
    }
  }
}
