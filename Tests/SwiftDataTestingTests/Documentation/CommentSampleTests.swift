import Foundation
import SwiftData
import SwiftDataTesting
import Testing

/// The samples in the documentation comments of the module.
@Suite struct CommentSampleTests {
  @Test func aTemporaryContainerIsSeeded() throws {
    let temporary = try TemporaryContainer(
      for: Trip.self, Stop.self,
      seed: """
        {
          "Trip": [{"id": "lisbon", "name": "Lisbon", "stops": ["belem"]}],
          "Stop": [{"id": "belem", "place": "Belém"}]
        }
        """)
    let context = temporary.makeContext()

    #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 1)
  }

  @Test func expectationsAreTried() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, seed: Journeys.three)
    let context = temporary.makeContext()
    let reader = temporary.makeContext()
    var descriptor = FetchDescriptor<Trip>()
    descriptor.relationshipKeyPathsForPrefetching = [\.stops]
    func trips(prefetching path: PartialKeyPath<Trip>) throws -> [Trip] {
      var descriptor = FetchDescriptor<Trip>()
      descriptor.relationshipKeyPathsForPrefetching = [path]
      return try temporary.makeContext().fetch(descriptor)
    }
    func print(_ count: Int) {}

    try expectStatements(2, in: temporary) { try reader.fetch(descriptor).map(\.stops.count) }

    let found = try expectStatements(2, in: temporary) { try trips(prefetching: \.stops) }
    #expect(found.count == 4)

    try expectNoWorkInMemory(in: temporary) { try context.fetch(descriptor) }

    context.delete(try temporary.model(Trip.self, "braga", in: context))
    try context.save()
    try context.delete(model: Stop.self)

    try expectNoRepeatedFaults(in: temporary) {
      for trip in try context.fetch(FetchDescriptor<Trip>()) { print(trip.stops.count) }
    }
  }

  @Test func statementsAreReturned() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self)
    let context = temporary.makeContext()
    context.insert(Trip(name: "Lisbon"))

    let statements = try temporary.statements { try context.save() }
    #expect(statements.map(\.kind) == [.writes])
  }

  @Test func ownContainersAreRecorded() throws {
    let recorder = StatementRecorder()
    let configuration = recorder.recording(ModelConfiguration(isStoredInMemoryOnly: true))
    let container = try ModelContainer(for: Trip.self, configurations: configuration)

    try expectStatements(1, in: container) {
      try ModelContext(container).fetchCount(FetchDescriptor<Trip>())
    }
  }

  @Test func failuresAreInjected() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self)
    let context = temporary.makeContext()
    context.insert(Trip(name: "Lisbon"))

    try temporary.failing(.save(1), with: .diskFull) {
      #expect(throws: SwiftDataError.storeWriteFailure) { try context.save() }
    }
    try context.save()
  }

  @Test func processesCrash() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, storage: .file)
    let context = temporary.makeContext()
    context.insert(Trip(name: "Lisbon"))

    try temporary.crashing(at: .save(1)) { try context.save() }
    #expect(try temporary.makeContext().fetchCount(FetchDescriptor<Trip>()) == 0)
  }

  @Test func contentsAreCompared() throws {
    func print(_ text: String) { #expect(text.hasPrefix("{\n  \"Stop\"")) }
    let temporary = try TemporaryContainer(
      for: Trip.self, Stop.self,
      seed: """
        {"Stop": [{"place": "Belém"}]}
        """)

    print(try temporary.contents())

    try expectContents(
      """
      {
        "Stop": [
          {"id": "1", "place": "Belém", "trip": null}
        ]
      }
      """, in: temporary)
  }

  @Test func historyIsCompared() throws {
    let clock = HistoryClock(now: Date(timeIntervalSinceReferenceDate: 0))
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, clock: clock)
    clock.advance(by: .seconds(3600))

    let context = temporary.makeContext()
    let trip = Trip(name: "Lisbon")
    context.author = "import"
    context.insert(trip)
    try context.save()
    context.author = nil

    try expectHistory([.insert("Stop"), .update("Trip", ["name", "stops"])], in: temporary) {
      trip.name = "Porto"
      trip.stops.append(Stop(place: "Ribeira"))
      try context.save()
    }

    #expect(try temporary.history().map(\.author) == ["import", nil])
  }
}
