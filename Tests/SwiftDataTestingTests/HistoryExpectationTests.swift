import Foundation
import SwiftData
import SwiftDataTesting
import Testing

@Suite struct HistoryExpectationTests {
  @Test(arguments: TemporaryContainer.Storage.both)
  func changesOfEachSaveAreCompared(_ storage: TemporaryContainer.Storage) throws {
    let temporary = try TemporaryContainer(
      for: Trip.self, Stop.self, storage: storage, seed: Journeys.three)
    let context = temporary.makeContext()
    context.author = "editor"

    try expectHistory(
      [
        .update("Stop", ["place"]), .insert("Trip"), .delete("Trip"), .delete("Stop"),
      ],
      by: "editor", in: temporary
    ) {
      try temporary.model(Stop.self, "belem", in: context).place = "Torre de Belém"
      context.insert(Trip(name: "Coimbra"))
      try context.save()
      context.delete(try temporary.model(Trip.self, "porto", in: context))
      try context.save()
    }
  }

  @Test(arguments: TemporaryContainer.Storage.both)
  func theFailureListsTheSaves(_ storage: TemporaryContainer.Storage) throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, storage: storage)
    let context = temporary.makeContext()
    context.author = "importer"
    let line = #line + 2
    let failure = failure {
      try expectHistory([.update("Trip", ["start", "name"]), .delete("Trip")], in: temporary) {
        let trip = Trip(name: "Lisbon")
        context.insert(trip)
        try context.save()
        trip.name = "Lisboa"
        try context.save()
      }
    }
    let text = try #require(failure?.description)
    #expect(
      text == """
        SwiftDataTestingTests/HistoryExpectationTests.swift:\(line):24: expected the history to \
        record .update("Trip", ["name", "start"]), .delete("Trip"), but it recorded:
          save 1 by "importer": .insert("Trip")
          save 2 by "importer": .update("Trip", ["name"])
        """, "\(text)")
  }

  @Test func theOrderOfSavesCounts() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self)
    let context = temporary.makeContext()
    func change() throws {
      context.insert(Trip(name: "Lisbon"))
      try context.save()
      context.insert(Stop(place: "Belém"))
      try context.save()
    }
    try expectHistory([.insert("Trip"), .insert("Stop")], in: temporary) { try change() }
    #expect(throws: ExpectationFailure.self) {
      try expectHistory([.insert("Stop"), .insert("Trip")], in: temporary) { try change() }
    }
  }

  @Test func anotherAuthorFails() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self)
    let context = temporary.makeContext()
    let failure = #expect(throws: ExpectationFailure.self) {
      try expectHistory([.insert("Trip")], by: "importer", in: temporary) {
        context.insert(Trip(name: "Lisbon"))
        try context.save()
      }
    }
    #expect(failure?.expected == "the history to record .insert(\"Trip\") by \"importer\"")
    #expect(failure?.details == ["save 1: .insert(\"Trip\")"])
  }

  @Test func nothingIsExpectedAndReported() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, seed: Journeys.three)
    try expectHistory([], in: temporary) {}
    let failure = #expect(throws: ExpectationFailure.self) {
      try expectHistory([.insert("Trip")], in: temporary) {}
    }
    #expect(failure?.outcome == "nothing was saved")
  }

  @Test func aStoreWithoutHistoryIsReported() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self) { $0.keepsHistory = false }
    let failure = #expect(throws: ExpectationFailure.self) {
      try expectHistory([], in: temporary) {}
    }
    #expect(failure?.outcome == "the store default keeps none: keepsHistory is false")
  }

  @Test func asynchronousBodiesAreCompared() async throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, storage: .file)
    try await expectHistory([.insert("Trip")], in: temporary) {
      try await Task { @MainActor in
        temporary.container.mainContext.insert(Trip(name: "Faro"))
        try await temporary.container.settle()
      }.value
    }
  }

  @Test func inheritedPropertiesAreNamed() throws {
    let temporary = try TemporaryContainer(
      for: Animal.self, Dog.self, Owner.self,
      seed: """
        {"Owner": [{"id": 1, "email": "a"}], "Dog": [{"id": "rex", "name": "Rex", "owner": 1}]}
        """)
    let context = temporary.makeContext()
    try expectHistory([.update("Dog", ["name", "trick"])], in: temporary) {
      let dog = try temporary.model(Dog.self, "rex", in: context)
      (dog.name, dog.trick) = ("Max", "sit")
      try context.save()
    }
  }
}

@Suite struct HistoryClockTests {
  @Test(arguments: TemporaryContainer.Storage.both)
  func transactionsHaveTheTimesOfTheClock(_ storage: TemporaryContainer.Storage) throws {
    let start = Date(timeIntervalSinceReferenceDate: 1000)
    let clock = HistoryClock(now: start)
    let temporary = try TemporaryContainer(
      for: Trip.self, Stop.self, storage: storage, seed: Journeys.three, clock: clock)
    let context = temporary.makeContext()

    clock.advance(by: .seconds(3600))
    context.insert(Trip(name: "Coimbra"))
    try context.save()

    #expect(try temporary.history().map(\.timestamp) == [start, start + 3600])
    #expect(clock.now == start + 3600)
  }

  @Test func retentionFollowsTheClock() throws {
    let clock = HistoryClock()
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, clock: clock) {
      $0.historyRetention = HistoryRetention(maximumAge: 3600)
    }
    let context = temporary.makeContext()
    for name in ["Lisbon", "Porto", "Faro"] {
      context.insert(Trip(name: name))
      try context.save()
      clock.advance(by: .seconds(1800))
    }
    #expect(try temporary.history().count == 3)
    clock.advance(by: .seconds(7200))
    context.insert(Trip(name: "Braga"))
    try context.save()
    #expect(try temporary.history().map(\.timestamp) == [clock.now])
  }

  @Test func ownContainersAreStamped() throws {
    let clock = HistoryClock(now: .distantPast)
    let container = try ModelContainer(
      for: Trip.self, Stop.self,
      configurations: clock.stamping(ModelConfiguration(isStoredInMemoryOnly: true)))
    let context = ModelContext(container)
    context.insert(Trip(name: "Faro"))
    try context.save()
    #expect(try container.history().map(\.timestamp) == [.distantPast])
    #expect(try container.history().map(\.changes) == [[.insert("Trip")]])
  }
}
