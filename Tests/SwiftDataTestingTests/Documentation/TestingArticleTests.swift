import Foundation
import SwiftData
import SwiftDataTesting
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

  @Suite struct TripTests {
    let temporary: TemporaryContainer
    let context: ModelContext

    init() throws {
      temporary = try TemporaryContainer(for: Trip.self, Stop.self)
      context = temporary.makeContext()
    }

    @Test func aDeletedTripTakesItsStopsAlong() throws {
      let trip = Trip(name: "Lisbon")
      context.insert(trip)
      trip.stops = [Stop(place: "Belém")]
      try context.save()
      context.delete(trip)
      try context.save()

      let other = temporary.makeContext()
      #expect(try other.fetchCount(FetchDescriptor<Stop>()) == 0)
    }
  }

  static func prelude() throws -> (TemporaryContainer, ModelContext) {
    let temporary = try TemporaryContainer(
      for: Trip.self, Stop.self, storage: .file,
      seed: """
        {
          "Trip": [
            {"id": "lisbon", "name": "Lisbon", "stops": ["belem", "alfama"]},
            {"id": "porto", "name": "Porto"}
          ],
          "Stop": [
            {"id": "belem", "place": "Belém"},
            {"id": "alfama", "place": "Alfama"}
          ]
        }
        """)
    let context = temporary.makeContext()

    return (temporary, context)
  }
}

/// The samples of the article *Testing*.
@Suite struct TestingArticleTests {
  typealias Trip = TestingArticle.Trip
  typealias Stop = TestingArticle.Stop

  let temporary: TemporaryContainer
  let context: ModelContext

  init() throws { (temporary, context) = try TestingArticle.prelude() }

  @Test func seededModelsAreFound() throws {
    let lisbon = try temporary.model(Trip.self, "lisbon", in: context)
    #expect(Set(lisbon.stops.map(\.place)) == ["Belém", "Alfama"])
  }

  @Test func theErrorOfASeedIsThatOfTheArticle() throws {
    let error = #expect(throws: SeedError.self) {
      try TemporaryContainer(
        for: Trip.self, Stop.self,
        seed: """
          {"Trip": [{"name": "Lisbon"}, {"id": "porto", "titel": "Porto"}]}
          """)
    }
    #expect(
      error?.description
        == "Seed, Trip, row 2 (\"porto\"), property titel: Trip has no such property. It has name, "
        + "stops.")
  }

  @Test func filesAreSharedAndReopened() throws {
    let other = ModelContext(try temporary.openAnotherContainer())
    other.insert(Trip(name: "Faro"))
    try other.save()

    try temporary.reopen()
    #expect(try temporary.makeContext().fetchCount(FetchDescriptor<Trip>()) == 3)
  }

  @Test func statementsAreCounted() throws {
    let counts = try expectStatements(2, in: temporary) {
      var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
      descriptor.relationshipKeyPathsForPrefetching = [\.stops]
      return try context.fetch(descriptor).map(\.stops.count)
    }
    #expect(counts == [2, 0])
  }

  @Test func repeatedFaultsAreFound() throws {
    func print(_ count: Int) {}

    try expectNoRepeatedFaults(in: temporary, atMost: 3) {
      for trip in try context.fetch(FetchDescriptor<Trip>()) { print(trip.stops.count) }
    }

    let other = temporary.makeContext()
    #expect(throws: ExpectationFailure.self) {
      try expectNoRepeatedFaults(in: temporary, atMost: 1) {
        for trip in try other.fetch(FetchDescriptor<Trip>()) { print(trip.stops.count) }
      }
    }
  }

  @Test func aSaveFails() throws {
    context.insert(Trip(name: "Faro"))
    try temporary.failing(.save(1), with: .diskFull) {
      #expect(throws: SwiftDataError.storeWriteFailure) { try context.save() }
    }
    try context.save()

    #expect(try temporary.makeContext().fetchCount(FetchDescriptor<Trip>()) == 3)
  }

  @Test func aUnitOfAWriterFails() async throws {
    let writer = ModelWriter(temporary.container)
    try await temporary.failing(.save(1), with: .diskFull) {
      await #expect(throws: SwiftDataError.storeWriteFailure) {
        try await writer.write { $0.insert(Trip(name: "Faro")) }
      }
    }

    #expect(try temporary.makeContext().fetchCount(FetchDescriptor<Trip>()) == 2)
  }

  @Test func theProcessCrashes() throws {
    context.insert(Trip(name: "Faro"))
    try temporary.crashing(at: .save(1)) { try context.save() }
    #expect(try temporary.makeContext().fetchCount(FetchDescriptor<Trip>()) == 2)
  }

  @Test func theHistoryIsCompared() throws {
    context.author = "editor"
    try expectHistory([.update("Trip", ["name"]), .insert("Trip")], by: "editor", in: temporary) {
      try temporary.model(Trip.self, "porto", in: context).name = "Oporto"
      context.insert(Trip(name: "Faro"))
      try context.save()
    }
  }

  @Test func theClockIsStopped() throws {
    let clock = HistoryClock(now: Date(timeIntervalSinceReferenceDate: 0))
    let stopped = try TemporaryContainer(for: Trip.self, Stop.self, clock: clock)
    clock.advance(by: .seconds(3600))

    let context = stopped.makeContext()
    context.insert(Trip(name: "Faro"))
    try context.save()
    #expect(
      try stopped.history().map(\.timestamp) == [Date(timeIntervalSinceReferenceDate: 3600)])
  }

  @Test func wholeStoresAreCompared() throws {
    context.delete(try temporary.model(Trip.self, "lisbon", in: context))
    try context.save()
    try expectContents(
      """
      {
        "Trip": [
          {"id": "1", "name": "Porto", "stops": []}
        ]
      }
      """, in: temporary)
  }

  @Test func ownContainersAreRecorded() throws {
    let recorder = StatementRecorder()
    let configuration = recorder.recording(ModelConfiguration(isStoredInMemoryOnly: true))
    let container = try ModelContainer(for: Trip.self, Stop.self, configurations: configuration)
    try expectStatements(1, in: container) {
      try ModelContext(container).fetchCount(FetchDescriptor<Trip>())
    }
  }

  @MainActor @Test func autosaveIsNotWaitedFor() async throws {
    temporary.container.mainContext.insert(Trip(name: "Faro"))
    try await temporary.container.settle()

    #expect(try temporary.makeContext().fetchCount(FetchDescriptor<Trip>()) == 3)
    #expect(!temporary.makeContext().autosaveEnabled)
  }

  @Test func containersWithoutToolsHaveAStoreOfTheirOwn() throws {
    let container = try ModelContainer(
      for: Trip.self, Stop.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let shared = ModelContext(container)
    shared.insert(Trip(name: "Lisbon"))
    try shared.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
  }
}
