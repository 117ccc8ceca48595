import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

@Suite(.enabled(if: PostgresServer.isAvailable))
struct PostgresPredicateTests {
  struct Label: Codable, Equatable {
    var text: String
    var number: Int
  }

  @Model final class Parcel {
    var label: Label
    var spare: Label?

    init(_ label: Label, spare: Label? = nil) {
      self.label = label
      self.spare = spare
    }
  }

  /// The server cannot have such a text, not even as a parameter.
  @Test func noStoredValueEqualsOneWithAZeroCharacter() throws {
    let container = try ModelContainer(
      for: Parcel.self,
      configurations: PostgresConfiguration(url: PostgresServer.shared.addressOfNewSchema()))
    let context = ModelContext(container)
    let plain = Label(text: "ab", number: 1)
    context.insert(Parcel(plain, spare: plain))
    context.insert(Parcel(Label(text: "a", number: 1)))
    try context.save()
    func count(_ predicate: Predicate<Parcel>) throws -> Int {
      try ModelContext(container).fetchCount(FetchDescriptor(predicate: predicate))
    }
    let strange = Label(text: "a\u{0}b", number: 1)
    let labels = [strange, plain]
    #expect(try count(#Predicate { $0.label == strange }) == 0)
    #expect(try count(#Predicate { $0.label != strange }) == 2)
    #expect(try count(#Predicate { $0.spare == strange }) == 0)
    #expect(try count(#Predicate { labels.contains($0.label) }) == 1)
    #expect(try count(#Predicate { $0.label == plain }) == 1)
  }

  /// Whether the server can order texts by the rules of a language.
  private static let hasLocales: Bool = {
    guard PostgresServer.isAvailable, let server = try? PostgresServer.shared.connect() else {
      return false
    }
    let sql = "SELECT count(*) FROM pg_collation WHERE collname = 'en-x-icu'"
    return server.serverVersion >= 150_000 && (try? server.prepare(sql).integer()) == 1
  }()

  /// A text that does not come from a column has the collation of the database.
  @Test(.enabled(if: hasLocales)) func textsAreOrderedByCodePointsWhateverTheLocale() throws {
    let admin = try PostgresServer.shared.connect()
    let name = "locale_" + UUID().uuidString.lowercased().filter { $0 != "-" }
    try admin.execute(
      "CREATE DATABASE \(name) TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US' "
        + "LC_COLLATE 'C' LC_CTYPE 'C'")
    defer { try? admin.execute("DROP DATABASE \(name) WITH (FORCE)") }
    let url = "host=\(try PostgresServer.shared.socketFolder) dbname=\(name) user=postgres"
    let container = try ModelContainer(
      for: Parcel.self, configurations: PostgresConfiguration(url: url))
    let context = ModelContext(container)
    for number in 1...3 { context.insert(Parcel(Label(text: "B", number: number))) }
    try context.save()
    func count(_ predicate: Predicate<Parcel>) throws -> Int {
      try ModelContext(container).fetchCount(FetchDescriptor(predicate: predicate))
    }
    let limit = "a"
    #expect(try count(#Predicate { ($0.label.number > 1 ? "B" : "x") < limit }) == 2)
    #expect(try count(#Predicate { ($0.label.number > 1 ? $0.label.text : "x") < limit }) == 2)
    #expect(try count(#Predicate { $0.label.text < limit }) == 3)
  }

  /// The server's answer is that of the predicate in memory.
  @Test func predicatesAreJudgedAsInMemory() throws {
    let container = try ModelContainer(
      for: Place.self, City.self,
      configurations: PostgresConfiguration(url: PostgresServer.shared.addressOfNewSchema()))
    let context = ModelContext(container)
    let cities = ["Bern", "Zürich", ""].map { City($0) }
    for city in cities { context.insert(city) }
    for n in 0..<40 {
      let name = ["Ab", "ab", "é", "e\u{301}x", "100%", "a_b", "", "ß"][n % 8]
      let place = Place(
        name, visits: n % 7, price: Decimal(n) / 8, city: n % 4 == 3 ? nil : cities[n % 3])
      place.rating = [nil, 0, -0.0, 1.5, -2, .infinity][n % 6]
      place.founded = Date(timeIntervalSinceReferenceDate: Double(n) * 86_400)
      context.insert(place)
    }
    try context.save()
    let date = Date(timeIntervalSinceReferenceDate: 86_400 * 10)
    let none: Double? = nil
    let text = "b"
    let set: Set<String> = ["é", "ab"]
    let bern: String? = "Bern"
    let predicates: [(String, Predicate<Place>)] = [
      ("div", #Predicate { $0.visits != 0 && 12 / $0.visits == 3 }),
      ("mod", #Predicate { $0.visits % 3 == 1 }),
      ("neg", #Predicate { -$0.visits < -3 }),
      ("rating nil", #Predicate { $0.rating == nil }),
      ("rating none", #Predicate { $0.rating == none }),
      ("rating > 1", #Predicate { ($0.rating ?? 0) > 1 }),
      ("rating < 1", #Predicate { ($0.rating ?? 0) < 1 }),
      ("rating == 0", #Predicate { $0.rating == 0 }),
      ("rating != 0", #Predicate { $0.rating != 0 }),
      ("contains", #Predicate { $0.name.contains(text) }),
      ("starts", #Predicate { $0.name.starts(with: "a") }),
      ("percent", #Predicate { $0.name.contains("%") || $0.name.contains("_") }),
      ("empty", #Predicate { $0.name.isEmpty }),
      ("count", #Predicate { $0.name.count == 2 }),
      ("eq", #Predicate { $0.name == "\u{e9}" }),
      ("set", #Predicate { set.contains($0.name) }),
      ("lower", #Predicate { $0.name.localizedCaseInsensitiveContains("AB") }),
      ("std", #Predicate { $0.name.localizedStandardContains("E") }),
      ("order", #Predicate { $0.name > "a" }),
      ("date", #Predicate { $0.founded >= date }),
      ("city", #Predicate { $0.city?.name == "Bern" }),
      ("city opt", #Predicate { $0.city?.name == bern }),
      ("city nil", #Predicate { $0.city == nil }),
      ("city not", #Predicate { $0.city?.name != "Bern" }),
      ("ternary", #Predicate { ($0.isOpen ? $0.visits : 0) > 3 }),
      ("bool", #Predicate { $0.isOpen == ($0.visits > 2) }),
      ("price", #Predicate { $0.price > 2 }),
      ("flag", #Predicate { !$0.isOpen }),
      ("list", #Predicate { [1, 2, 3].contains($0.visits) }),
      ("range", #Predicate { (2..<5).contains($0.visits) }),
      ("places", #Predicate { $0.city?.places.count == 10 }),
      ("let", #Predicate { if let r = $0.rating { r > 0 } else { false } }),
    ]
    let all = try ModelContext(container).fetch(FetchDescriptor<Place>())
    #expect(all.count == 40)
    for (name, predicate) in predicates {
      let expected = try all.filter { try predicate.evaluate($0) }.map(\.code)
      let request = FetchDescriptor(predicate: predicate)
      let found = try ModelContext(container).fetch(request).map(\.code)
      #expect(Set(found) == Set(expected), "\(name)")
      #expect(found.count == expected.count, "\(name)")
      #expect(try ModelContext(container).fetchCount(request) == expected.count, "\(name)")
      // Otherwise the predicate shows nothing.
      #expect(0 < expected.count && expected.count < 40, "\(name)")
    }
  }
}
