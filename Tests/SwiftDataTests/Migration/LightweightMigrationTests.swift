import Foundation
import SwiftData
import Testing

/// Changes of models that a store follows by itself: each is made alone, and the values are compared.
@Suite struct LightweightMigrationTests {
  private let store: MigratedStore

  init() throws { store = try MigratedStore() }

  // MARK: Properties

  enum Plain {
    @Model final class Trip {
      var name: String
      var days: Int
      var price: Double?

      init(_ name: String, days: Int = 1, price: Double? = nil) {
        (self.name, self.days, self.price) = (name, days, price)
      }
    }
  }

  enum WithProperties {
    enum Kind: String, Codable { case short, long }
    struct Place: Codable, Equatable { var city = "Rome"; var zip: Int? }

    @Model final class Trip {
      var name: String
      var days: Int
      var price: Double?
      var note: String?
      var count: Int = 7
      var token: UUID = UUID()
      var kind: Kind = Kind.long
      var place: Place = Place(city: "Pisa", zip: 3)
      var tags: [String] = ["a", "b"]
      var start: Date = Date(timeIntervalSinceReferenceDate: 5)
      var optionalKind: Kind?
      /// A quote and the mark after it are one character.
      var accent: String = "'\u{301} \\\u{301}"

      init(_ name: String) { (self.name, days) = (name, 1) }
    }
  }

  private func makePlain(_ count: Int = 3) throws {
    try store.make([Plain.Trip.self]) { context in
      for number in 0..<count {
        context.insert(Plain.Trip("Trip \(number)", days: number, price: Double(number) / 2))
      }
    }
  }

  @Test func keysOfRemovedRowsAreNotGivenAgain() throws {
    var removed: PersistentIdentifier?
    try store.make([Plain.Trip.self]) { context in
      let trips = (0..<3).map { Plain.Trip("Trip \($0)") }
      for trip in trips { context.insert(trip) }
      try context.save()
      let last = try #require(trips.max { $0.persistentModelID < $1.persistentModelID })
      removed = last.persistentModelID
      context.delete(last)
    }
    let context = try store.open([WithProperties.Trip.self])
    let new = WithProperties.Trip("new")
    context.insert(new)
    try context.save()
    #expect(new.persistentModelID > (try #require(removed)))
  }

  @Test func newPropertiesHaveTheirDeclaredValues() throws {
    try makePlain()
    let context = try store.open([WithProperties.Trip.self])
    let trips = try context.fetch(
      FetchDescriptor<WithProperties.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == ["Trip 0", "Trip 1", "Trip 2"])
    #expect(trips.map(\.days) == [0, 1, 2])
    #expect(trips.map(\.price) == [0, 0.5, 1])
    #expect(trips.map(\.note) == [nil, nil, nil])
    #expect(trips.map(\.count) == [7, 7, 7])
    #expect(Set(trips.map(\.token)).count == 3)
    #expect(trips.map(\.kind) == [.long, .long, .long])
    #expect(trips.map(\.place) == Array(repeating: .init(city: "Pisa", zip: 3), count: 3))
    #expect(trips.map(\.tags) == Array(repeating: ["a", "b"], count: 3))
    #expect(trips.map(\.start.timeIntervalSinceReferenceDate) == [5, 5, 5])
    #expect(trips.map(\.optionalKind) == [nil, nil, nil])
    #expect(trips.map(\.accent) == Array(repeating: "'\u{301} \\\u{301}", count: 3))
    let tokens = Dictionary(uniqueKeysWithValues: trips.map { ($0.name, $0.token) })
    let again = ModelContext(context.container)
    for trip in try again.fetch(FetchDescriptor<WithProperties.Trip>()) {
      #expect(tokens[trip.name] == trip.token)
    }
  }

  enum UnusualDefaults {
    @Model final class Trip {
      var name: String
      var days: Int
      var price: Double?
      var rank: Int = Int.min
      var mark: String = "a\0'b"
      var limit: Double = -Double.infinity

      init(_ name: String) { (self.name, days) = (name, 1) }
    }
  }

  /// SQLite adds a column to a table with rows only if its default is a plain literal.
  @Test(arguments: RelationshipMigrationTests.sizes)
  func defaultsWithoutALiteralAreValuesToo(_ size: Int64) throws {
    try makePlain()
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open([UnusualDefaults.Trip.self])
      let trips = try context.fetch(FetchDescriptor<UnusualDefaults.Trip>())
      #expect(trips.map(\.rank) == [.min, .min, .min])
      #expect(trips.map(\.mark) == ["a\0'b", "a\0'b", "a\0'b"])
      #expect(trips.allSatisfy { $0.limit == -.infinity })
    }
  }

  @Test func removedPropertiesGo() throws {
    try store.make([WithProperties.Trip.self]) { $0.insert(WithProperties.Trip("Rome")) }
    let context = try store.open([Plain.Trip.self])
    #expect(try context.fetch(FetchDescriptor<Plain.Trip>()).map(\.name) == ["Rome"])
    context.insert(Plain.Trip("Pisa"))
    try context.save()
  }

  enum Renamed {
    @Model final class Trip {
      @Attribute(originalName: "name") var title: String
      @Attribute(originalName: "price") var days: Double?
      @Attribute(originalName: "days") var price: Int

      init(_ title: String) { (self.title, price) = (title, 1) }
    }
  }

  @Test func renamedPropertiesKeepTheirValues() throws {
    try makePlain()
    let context = try store.open([Renamed.Trip.self])
    let trips = try context.fetch(FetchDescriptor<Renamed.Trip>(sortBy: [SortDescriptor(\.title)]))
    #expect(trips.map(\.title) == ["Trip 0", "Trip 1", "Trip 2"])
    #expect(trips.map(\.price) == [0, 1, 2])
    #expect(trips.map(\.days) == [0, 0.5, 1])
  }

  enum Numbers {
    @Model final class Trip {
      var name: String?
      var days: Double
      var price: Double

      init() { (days, price) = (1, 1) }
    }
  }

  enum Defaulted {
    @Model final class Trip {
      var name: String
      var days: Int16
      var price: Double = 9.5

      init(_ name: String) { (self.name, days) = (name, 1) }
    }
  }

  @Test func numbersAndOptionalityChange() throws {
    try makePlain()
    let context = try store.open([Numbers.Trip.self])
    let trips = try context.fetch(FetchDescriptor<Numbers.Trip>(sortBy: [SortDescriptor(\.days)]))
    #expect(trips.map(\.days) == [0, 1, 2])
    #expect(trips.map(\.price) == [0, 0.5, 1])
    #expect(trips.map(\.name) == ["Trip 0", "Trip 1", "Trip 2"])
  }

  @Test func requiredPropertiesTakeTheDeclaredValueWhereRowsHaveNone() throws {
    try store.make([Plain.Trip.self]) { context in
      context.insert(Plain.Trip("a", days: 3, price: nil))
      context.insert(Plain.Trip("b", days: 4, price: 1))
    }
    let context = try store.open([Defaulted.Trip.self])
    let trips = try context.fetch(FetchDescriptor<Defaulted.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.price) == [9.5, 1])
    #expect(trips.map(\.days) == [3, 4])
  }

  @Test func requiredPropertiesWithoutAValueAreRefused() throws {
    try store.make([Plain.Trip.self]) { context in
      for number in 0..<5 { context.insert(Plain.Trip("a", price: number == 1 ? 1 : nil)) }
    }
    let text = try store.refusal([Numbers.Trip.self])
    #expect(text.contains("Trip.price"))
    #expect(text.contains("4 rows (p") && text.contains("have no value"), "\(text)")
  }

  @Test func valuesThatDoNotFitAreRefused() throws {
    try store.make([Plain.Trip.self]) { context in
      context.insert(Plain.Trip("a", days: 40_000, price: 1))
    }
    let text = try store.refusal([Defaulted.Trip.self])
    #expect(text.contains("Trip.days") && text.contains("1 row"), "\(text)")
  }

  enum OtherType {
    @Model final class Trip {
      var name: Int
      var days: Int
      var price: Double?

      init() { (name, days) = (1, 1) }
    }
  }

  @Test func otherTypesAreRefused() throws {
    try makePlain()
    let text = try store.refusal([OtherType.Trip.self])
    #expect(text.contains("Trip.name") && text.contains("String"), "\(text)")
  }

  enum UniqueName {
    @Model final class Trip {
      @Attribute(.unique) var name: String
      var days: Int
      var price: Double?

      init(_ name: String) { (self.name, days) = (name, 1) }
    }
  }

  @Test func uniquenessIsTakenOnWhereTheRowsAllowIt() throws {
    try makePlain()
    let context = try store.open([UniqueName.Trip.self])
    context.insert(UniqueName.Trip("Trip 1"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<UniqueName.Trip>()) == 3)
  }

  @Test func uniquenessOverDuplicatesIsRefused() throws {
    try store.make([Plain.Trip.self]) { context in
      for name in ["a", "b", "a", "a"] { context.insert(Plain.Trip(name)) }
    }
    let text = try store.refusal([UniqueName.Trip.self])
    #expect(text.contains("2 rows (p") && text.contains("unique"), "\(text)")
  }

  // MARK: Entities

  enum TwoModels {
    @Model final class Trip {
      var name: String
      var days: Int
      var price: Double?
      @Relationship(inverse: \Airport.trips) var airports: [Airport] = []

      init(_ name: String) { (self.name, days) = (name, 1) }
    }

    @Model final class Airport {
      var code: String
      var trips: [Trip] = []

      init(_ code: String) { self.code = code }
    }
  }

  @Test func aNewModelChangesTheNumbersOfOthers() throws {
    try makePlain()
    let context = try store.open([TwoModels.Trip.self, TwoModels.Airport.self])
    let trip = try #require(
      try context.fetch(FetchDescriptor<TwoModels.Trip>(sortBy: [SortDescriptor(\.name)])).first)
    trip.airports = [TwoModels.Airport("FCO")]
    try context.save()
    let airports = try ModelContext(context.container)
      .fetch(FetchDescriptor<TwoModels.Airport>())
    #expect(airports.map(\.trips.first?.name) == ["Trip 0"])
    #expect(
      try SQLiteFile.integer("SELECT count(*) FROM ZTRIP WHERE Z_ENT = 2", in: store.url) == 3)
    // The history names the rows by their numbers now.
    #expect(
      try SQLiteFile.integer(
        "SELECT count(*) FROM ACHANGE WHERE ZENTITY = 1 AND ZCHANGETYPE = 0", in: store.url)
        == 1)
  }
}
