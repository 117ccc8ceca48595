import Foundation
import SwiftData
import Synchronization
import Testing

enum TestingArticle {
  @Model
  final class Trip {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

    init(name: String) { self.name = name }
  }

  @Model
  final class Stop {
    var place: String
    var trip: Trip?

    init(place: String) { self.place = place }
  }

  enum TestStore {
    static func container() throws -> ModelContainer {
      try ModelContainer(
        for: Trip.self, Stop.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
  }

  @Suite struct TripTests {
    let container: ModelContainer
    let context: ModelContext

    init() throws {
      container = try TestStore.container()
      context = ModelContext(container)
    }

    @Test func aDeletedTripTakesItsStopsAlong() throws {
      let trip = Trip(name: "Lisbon")
      context.insert(trip)
      trip.stops = [Stop(place: "Belém")]
      try context.save()
      context.delete(trip)
      try context.save()

      let other = ModelContext(container)
      #expect(try other.fetchCount(FetchDescriptor<Stop>()) == 0)
    }
  }

  final class StatementCounter: Sendable {
    private let texts = Mutex<[String]>([])

    var log: StatementLog {
      StatementLog { event in
        if case .statement(let statement) = event {
          self.texts.withLock { $0.append(statement.sql) }
        }
      }
    }

    func statements(during body: () throws -> Void) rethrows -> [String] {
      texts.withLock { $0 = [] }
      try body()
      return texts.withLock { $0 }
    }
  }
}

/// The samples of the article *Testing*.
@Suite struct TestingArticleTests {
  typealias Trip = TestingArticle.Trip
  typealias Stop = TestingArticle.Stop
  typealias TestStore = TestingArticle.TestStore
  typealias StatementCounter = TestingArticle.StatementCounter

  @Test func eachContainerHasAStoreOfItsOwn() throws {
    let container = try TestStore.container()
    let context = ModelContext(container)

    context.insert(Trip(name: "Lisbon"))
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 0)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
    #expect(try ModelContext(TestStore.container()).fetchCount(FetchDescriptor<Trip>()) == 0)
  }

  @MainActor @Test func autosaveIsNotWaitedFor() async throws {
    let container = try TestStore.container()

    container.mainContext.insert(Trip(name: "Faro"))
    try await container.settle()

    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
    #expect(!ModelContext(container).autosaveEnabled)
  }

  @Test func aFileIsOpenedAgain() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let file = folder.appending(path: "trips.store")
    do {
      let context = ModelContext(
        try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: file)))
      context.insert(Trip(name: "Lisbon"))
      try context.save()
    }

    let reopened = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: file))
    let trips = try ModelContext(reopened).fetch(FetchDescriptor<Trip>())
    try FileManager.default.removeItem(at: folder)

    #expect(trips.map(\.name) == ["Lisbon"])
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  @Test func statementsAreCounted() throws {
    func print(_ count: Int) { #expect(count == 1) }

    let counter = StatementCounter()
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.statementLog = counter.log
    let container = try ModelContainer(for: Trip.self, Stop.self, configurations: configuration)
    let context = ModelContext(container)
    for name in ["Lisbon", "Porto", "Faro"] {
      let trip = Trip(name: name)
      context.insert(trip)
      trip.stops = [Stop(place: "Station")]
    }
    try context.save()

    let reader = ModelContext(container)
    let statements = try counter.statements {
      var descriptor = FetchDescriptor<Trip>()
      descriptor.relationshipKeyPathsForPrefetching = [\.stops]
      for trip in try reader.fetch(descriptor) { print(trip.stops.count) }
    }
    #expect(statements.count == 2)

    let oneByOne = try counter.statements {
      let reader = ModelContext(container)
      for trip in try reader.fetch(FetchDescriptor<Trip>()) { print(trip.stops.count) }
    }
    #expect(oneByOne.count == 4)
  }
}
