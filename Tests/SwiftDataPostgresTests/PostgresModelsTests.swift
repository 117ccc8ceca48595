import Foundation
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

struct Spot: Codable, Hashable {
  var x: Double
  var label: String?
}

@Model
class Animal {
  var name: String
  var big: UInt64 = UInt64.max
  var tags: [String] = []
  var spot: Spot?
  var small: Float = 0.1
  var born: Date?
  var url: URL?
  @Attribute(.externalStorage) var image: Data?

  init(_ name: String) { self.name = name }
}

@Model
final class Dog: Animal {
  var tricks: Int

  init(_ name: String, tricks: Int) {
    self.tricks = tricks
    super.init(name)
  }
}

@Model
final class Member {
  #Unique<Member>([\.email], [\.first, \.last])
  #Index<Member>([\.first])
  var email: String
  var first: String
  var last: String
  var groups: [Team] = []

  init(_ email: String, _ first: String, _ last: String) {
    self.email = email
    self.first = first
    self.last = last
  }
}

@Model
final class Team {
  var title: String
  @Relationship(inverse: \Member.groups) var members: [Member] = []

  init(_ title: String) { self.title = title }
}

@Suite(.enabled(if: PostgresServer.isAvailable))
struct PostgresModelsTests {
  let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: Animal.self, Dog.self, Member.self, Team.self, Place.self, City.self,
      configurations: PostgresConfiguration(url: PostgresServer.shared.addressOfNewSchema()))
  }

  @Test func subclassesAndAllKindsOfValuesAreStored() throws {
    let context = ModelContext(container)
    let animal = Animal("cat")
    animal.tags = ["a", "b"]
    animal.spot = Spot(x: 1.5, label: "here")
    animal.born = Date(timeIntervalSinceReferenceDate: 5)
    animal.url = URL(string: "https://x.example/y")
    animal.image = Data(repeating: 7, count: 300_000)
    context.insert(animal)
    context.insert(Dog("rex", tricks: 3))
    try context.save()
    let other = ModelContext(container)
    let all = try other.fetch(FetchDescriptor<Animal>(sortBy: [SortDescriptor(\.name)]))
    #expect(all.map(\.name) == ["cat", "rex"])
    #expect(all.first?.big == .max)
    #expect(all.first?.tags == ["a", "b"])
    #expect(all.first?.spot == Spot(x: 1.5, label: "here"))
    #expect(all.first?.small == 0.1)
    #expect(all.first?.image?.count == 300_000)
    #expect((all.last as? Dog)?.tricks == 3)
    #expect(try other.fetchCount(FetchDescriptor<Animal>(predicate: #Predicate { $0 is Dog })) == 1)
    #expect(
      try other.fetchCount(FetchDescriptor<Animal>(predicate: #Predicate { $0.spot?.x == 1.5 }))
        == 1)
  }

  @Test func textIsComparedAsInSwift() throws {
    let context = ModelContext(container)
    for name in ["Zürich", "zug", "Bern", "e\u{301}"] { context.insert(Place(name)) }
    try context.save()
    let other = ModelContext(container)
    func count(_ p: Predicate<Place>) throws -> Int {
      try other.fetchCount(FetchDescriptor(predicate: p))
    }
    #expect(try count(#Predicate { $0.name.contains("ü") }) == 1)
    #expect(try count(#Predicate { $0.name.starts(with: "z") }) == 1)
    #expect(try count(#Predicate { $0.name.localizedStandardContains("Z") }) == 2)
    #expect(try count(#Predicate { $0.name == "\u{e9}" }) == 1)
    #expect(try count(#Predicate { $0.name < "a" }) == 2)
    let list = ["zug", "Bern"]
    #expect(try count(#Predicate { list.contains($0.name) }) == 2)
    #expect(try count(#Predicate { $0.rating ?? 1 > 0.5 }) == 4)
    #expect(try count(#Predicate { $0.visits / 2 == 0 }) == 4)
    #expect(try count(#Predicate { $0.visits * 9_223_372_036_854_775_807 == 0 }) == 4)
    let sorted = try other.fetch(
      FetchDescriptor<Place>(sortBy: [SortDescriptor(\.rating), SortDescriptor(\.name)]))
    #expect(sorted.count == 4)
  }

  @Test func datesAndDecimalsAreComparedAndSorted() throws {
    let context = ModelContext(container)
    for n in 0..<5 { context.insert(Place("\(n)", price: Decimal(n) / 4)) }
    try context.save()
    let other = ModelContext(container)
    let now = Date.now
    #expect(
      try other.fetchCount(FetchDescriptor<Place>(predicate: #Predicate { $0.founded < now })) == 5)
    let price = Decimal(string: "0.5")!
    #expect(
      try other.fetchCount(FetchDescriptor<Place>(predicate: #Predicate { $0.price > price })) == 2)
    let sorted = try other.fetch(
      FetchDescriptor<Place>(sortBy: [SortDescriptor(\.price, order: .reverse)]))
    #expect(sorted.map(\.name) == ["4", "3", "2", "1", "0"])
  }

  @Test func modelsWithSeveralUniqueGroupsUpdateTheirRows() throws {
    let context = ModelContext(container)
    for n in 0..<50 { context.insert(Member("m\(n)", "f\(n)", "l")) }
    try context.save()
    context.insert(Member("m1", "f1", "l"))
    context.insert(Member("m99", "f2", "l"))
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Member>()) == 50)
  }

  @Test func uniqueValuesCanBeSwapped() throws {
    let context = ModelContext(container)
    let (a, b) = (City("A"), City("B"))
    context.insert(a)
    context.insert(b)
    try context.save()
    (a.name, b.name) = ("B", "A")
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<City>()) == 2)
  }

  @Test func bothSidesOfAManyToManyRelationshipAreStored() throws {
    let context = ModelContext(container)
    let team = Team("t")
    context.insert(team)
    for n in 0..<30 {
      let member = Member("m\(n)", "f\(n)", "l")
      context.insert(member)
      team.members.append(member)
    }
    try context.save()
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Team>()).first)
    #expect(found.members.count == 30)
    #expect(
      try other.fetchCount(
        FetchDescriptor<Team>(predicate: #Predicate { $0.members.contains { $0.email == "m3" } }))
        == 1)
    found.members.removeAll { $0.email == "m3" }
    try other.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Team>()).first?.members.count == 29)
    var prefetch = FetchDescriptor<Team>()
    prefetch.relationshipKeyPathsForPrefetching = [\.members]
    #expect(try ModelContext(container).fetch(prefetch).first?.members.count == 29)
  }

  @Test func manyModelsAreInsertedDeletedAndUpdated() throws {
    let context = ModelContext(container)
    for n in 0..<5_000 { context.insert(Place("p\(n)", visits: n)) }
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Place>()).count == 5000)
    #expect(try other.fetch(FetchDescriptor<Place>(), batchSize: 100).count == 5000)
    try other.delete(model: Place.self, where: #Predicate { $0.visits >= 1000 })
    try other.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Place>()) == 1000)
    let third = ModelContext(container)
    for place in try third.fetch(FetchDescriptor<Place>()) { place.visits += 1 }
    try third.save()
  }

  @Test func aTransactionOfAContextIsStored() throws {
    let context = ModelContext(container)
    try context.transaction { context.insert(City("X")) }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<City>()) == 1)
  }

  @Test func aDeletionCascadesToManyRows() throws {
    let context = ModelContext(container)
    let city = City("c")
    context.insert(city)
    for n in 0..<500 { context.insert(Place("p\(n)", city: city)) }
    try context.save()
    context.delete(city)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Place>()) == 0)
  }

  @Test func changesOfTwoContextsToOneRowAreMerged() throws {
    let context = ModelContext(container)
    context.insert(Place("p"))
    try context.save()
    let (one, two) = (ModelContext(container), ModelContext(container))
    let (first, second) = (
      try one.fetch(FetchDescriptor<Place>())[0], try two.fetch(FetchDescriptor<Place>())[0]
    )
    first.visits = 5
    second.name = "q"
    try one.save()
    try two.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Place>())[0]
    #expect(found.visits == 5)
    #expect(found.name == "q")
  }

  @Test func theHistoryIsWrittenFetchedAndDeleted() throws {
    let context = ModelContext(container)
    context.author = "me"
    let place = Place("a")
    context.insert(place)
    try context.save()
    place.visits = 3
    try context.save()
    context.delete(place)
    try context.save()
    let found = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(found.count == 3)
    #expect(found.map(\.changes.count) == [1, 1, 1])
    #expect(found.first?.author == "me")
    let token = found[0].token
    let later = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
    #expect(later.count == 2)
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= token }))
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 2)
  }

  @Test func longListsOfKeysAreBound() throws {
    let context = ModelContext(container)
    let city = City("c")
    context.insert(city)
    for n in 0..<12_000 { context.insert(Place("p\(n)", visits: n, city: city)) }
    try context.save()
    let other = ModelContext(container)
    let keep = Set((0..<3000).map { $0 * 4 })
    let found = try other.fetch(
      FetchDescriptor<Place>(predicate: #Predicate { keep.contains($0.visits) }))
    #expect(found.count == 3000)
    for place in found { other.delete(place) }
    try other.save()
    #expect(try other.fetchCount(FetchDescriptor<Place>()) == 9000)
    for place in try other.fetch(FetchDescriptor<Place>()) { place.city = nil }
    try other.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<City>()).first?.places.count == 0)
  }

  @Test func tablesOfOtherModelsAreRefused() throws {
    let url = try PostgresServer.shared.addressOfNewSchema()
    _ = try ModelContainer(
      for: Place.self, City.self, configurations: PostgresConfiguration(url: url))
    do {
      _ = try ModelContainer(
        for: Member.self, Team.self, configurations: PostgresConfiguration(url: url))
      Issue.record("opened")
    } catch let error as SwiftDataError {
      #expect(error == .unknownDataStoreSchema)
      #expect("\(error)".contains("Member"))
    }
  }
}
