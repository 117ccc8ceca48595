import Foundation
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

@Model
final class Place {
  var name: String
  var visits: Int
  var rating: Double?
  var isOpen: Bool
  var founded: Date
  var code: UUID
  var price: Decimal
  var photo: Data?
  var city: City?

  init(_ name: String, visits: Int = 0, price: Decimal = 0, city: City? = nil) {
    self.name = name
    self.visits = visits
    isOpen = visits % 2 == 0
    founded = Date(timeIntervalSinceReferenceDate: 123.456_789)
    code = UUID()
    self.price = price
    self.city = city
  }
}

@Model
final class City {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \Place.city) var places: [Place] = []

  init(_ name: String) {
    self.name = name
  }
}

@Suite(.enabled(if: PostgresServer.isAvailable))
struct PostgresStoreTests {
  let container: ModelContainer
  let url: String

  init() throws {
    url = try PostgresServer.shared.addressOfNewSchema()
    container = try ModelContainer(
      for: Place.self, City.self, configurations: PostgresConfiguration(url: url))
  }

  @Test func twoConfigurationsOfOneDatabaseAreRefused() throws {
    let url = try PostgresServer.shared.addressOfNewSchema()
    _ = try ModelContainer(
      for: Place.self, City.self, Memo.self, configurations: PostgresConfiguration(url: url))
    let error = #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(
        for: Schema([Place.self, City.self, Memo.self]),
        configurations: [
          PostgresConfiguration("places", schema: Schema([Place.self, City.self]), url: url),
          PostgresConfiguration("memos", schema: Schema([Memo.self]), url: url),
        ])
    }
    #expect(error?.description.contains("places and memos have the same identifier") == true)
  }

  @Test func impossibleOptionsAreRefusedAtOpening() throws {
    let changes: [(String, @Sendable (inout PostgresConfiguration) -> Void)] = [
      ("connections", { $0.connections = 1 }), ("connections", { $0.connections = -1 }),
      ("connections", { $0.connections = 1_001 }),
      ("statementTimeout", { $0.statementTimeout = .zero }),
      ("statementTimeout", { $0.statementTimeout = .seconds(-1) }),
      ("migrationLockTimeout", { $0.migrationLockTimeout = .seconds(-1) }),
      (
        "historyRetention.maximumCount",
        { $0.historyRetention = HistoryRetention(maximumCount: -1) }
      ),
    ]
    for (name, change) in changes {
      var configuration = try PostgresConfiguration(url: "host=/nowhere")
      change(&configuration)
      do {
        _ = try ModelContainer(for: Place.self, City.self, configurations: configuration)
        Issue.record("\(name)")
      } catch let error as SwiftDataError {
        #expect(error == .loadIssueModelContainer)
        #expect(error.description.contains("The option \(name) of"), "\(error)")
      }
    }
  }

  @Test func savedModelsAreFetchedWithTheirValues() throws {
    let context = ModelContext(container)
    let place = Place("Ä 👩‍👩‍👧", visits: 3, price: Decimal(string: "12345678901234567890.123456789")!)
    place.photo = Data(0...255)
    context.insert(place)
    context.insert(Place("B", visits: 8))
    try context.save()
    let found = try ModelContext(container).fetch(
      FetchDescriptor<Place>(predicate: #Predicate { $0.visits == 3 }))
    #expect(found.map(\.name) == ["Ä 👩‍👩‍👧"])
    #expect(found.first?.price == place.price)
    #expect(found.first?.founded == place.founded)
    #expect(found.first?.code == place.code)
    #expect(found.first?.photo == place.photo)
    #expect(found.first?.rating == nil)
    #expect(found.first?.isOpen == false)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Place>()) == 2)
  }

  @Test func rowsAreSortedAndLimitedByTheDatabase() throws {
    let context = ModelContext(container)
    for number in 0..<200 { context.insert(Place("p\(number)", visits: number)) }
    try context.save()
    var descriptor = FetchDescriptor<Place>(
      predicate: #Predicate { $0.visits >= 50 && $0.isOpen },
      sortBy: [SortDescriptor(\.visits, order: .reverse)])
    descriptor.fetchLimit = 3
    descriptor.fetchOffset = 1
    #expect(try ModelContext(container).fetch(descriptor).map(\.visits) == [196, 194, 192])
  }

  @Test func changesAndDeletionsAreStored() throws {
    let context = ModelContext(container)
    let (first, second) = (Place("a"), Place("b"))
    context.insert(first)
    context.insert(second)
    try context.save()
    first.visits = 7
    first.rating = 4.5
    context.delete(second)
    try context.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Place>())
    #expect(found.map(\.visits) == [7])
    #expect(found.first?.rating == 4.5)
  }

  @Test func relationshipsAndDeleteRulesWork() throws {
    let context = ModelContext(container)
    let city = City("Bern")
    context.insert(city)
    for number in 0..<5 { context.insert(Place("p\(number)", visits: number, city: city)) }
    try context.save()
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<City>()).first)
    #expect(found.places.count == 5)
    let inCity = FetchDescriptor<Place>(predicate: #Predicate { $0.city?.name == "Bern" })
    #expect(try other.fetchCount(inCity) == 5)
    other.delete(found)
    try other.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Place>()) == 0)
  }

  @Test func aModelWithAStoredUniqueValueUpdatesItsRow() throws {
    let context = ModelContext(container)
    context.insert(City("Bern"))
    context.insert(City("Genf"))
    try context.save()
    let other = ModelContext(container)
    for name in ["Basel", "Bern", "Chur"] { other.insert(City(name)) }
    try other.save()
    let names = try ModelContext(container).fetch(
      FetchDescriptor<City>(sortBy: [SortDescriptor(\.name)])
    ).map(\.name)
    #expect(names == ["Basel", "Bern", "Chur", "Genf"])
  }

  @Test func aChangeToAUniqueValueOfAnotherModelIsRefusedWithItsProperty() throws {
    let context = ModelContext(container)
    let second = City("Genf")
    context.insert(City("Bern"))
    context.insert(second)
    try context.save()
    second.name = "Bern"
    do {
      try context.save()
      Issue.record("the save succeeded")
    } catch let error as SwiftDataError {
      #expect(error == .modelValidationFailure)
      #expect(error.entity == "City")
      #expect(error.property == "name")
    }
    second.name = "Basel"
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<City>()) == 2)
  }

  @Test func aTextWithAZeroCharacterIsRefusedAndNothingIsStored() throws {
    let context = ModelContext(container)
    context.insert(Place("good"))
    context.insert(Place("bad\0"))
    #expect(throws: SwiftDataError.storeWriteFailure) { try context.save() }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Place>()) == 0)
  }

  @Test func theStoreIsOpenedAgain() throws {
    let context = ModelContext(container)
    context.insert(Place("stays"))
    try context.save()
    let again = try ModelContainer(
      for: Place.self, City.self, configurations: PostgresConfiguration(url: url))
    let found = try ModelContext(again).fetch(FetchDescriptor<Place>())
    #expect(found.map(\.name) == ["stays"])
    #expect(found.first?.persistentModelID == context.insertedIdentifier)
  }

  @Test func containersOfSeveralThreadsSaveAtTheSameTime() async throws {
    let url = url
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask {
          let container = try ModelContainer(
            for: Place.self, City.self, configurations: PostgresConfiguration(url: url))
          for round in 0..<10 {
            let context = ModelContext(container)
            context.insert(Place("\(number)", visits: round))
            try context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    let found = try ModelContext(container).fetch(FetchDescriptor<Place>())
    #expect(found.count == 40)
    #expect(Set(found.map(\.persistentModelID)).count == 40)
  }

  @Test func aConfigurationHidesItsPassword() throws {
    let configuration = try PostgresConfiguration(url: "postgresql://ann:s3cret@host/db")
    var text = ""
    dump(configuration, to: &text)
    #expect(!(text + "\(configuration)" + String(reflecting: configuration)).contains("s3cret"))
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try PostgresConfiguration(url: "postgresql://ann:s3/cret@host/db")
    }
  }
}

extension ModelContext {
  /// The identifier of the only place.
  fileprivate var insertedIdentifier: PersistentIdentifier? {
    try? fetch(FetchDescriptor<Place>()).first?.persistentModelID
  }
}
