import SwiftData
import SwiftDataTesting
import Testing

@Suite struct RepeatedFaultsTests {
  @Test(arguments: TemporaryContainer.Storage.both)
  func aToManyRelationshipIsNamed(_ storage: TemporaryContainer.Storage) throws {
    let temporary = try TemporaryContainer(
      for: Trip.self, Stop.self, storage: storage, seed: Journeys.three)
    let context = temporary.makeContext()

    let line = #line + 2
    let failure = failure {
      try expectNoRepeatedFaults(in: temporary) {
        for trip in try context.fetch(FetchDescriptor<Trip>()) { _ = trip.stops.count }
      }
    }

    let text = try #require(failure?.description)
    #expect(
      text == """
        SwiftDataTestingTests/RepeatedFaultsTests.swift:\(line):33: expected no relationship to be \
        read for single models more than 3 times, but 1 was:
          Trip.stops: 4 times. Fetch with relationshipKeyPathsForPrefetching = [\\Trip.stops]
        """, "\(text)")
  }

  @Test(arguments: TemporaryContainer.Storage.both)
  func aToOneRelationshipIsNamed(_ storage: TemporaryContainer.Storage) throws {
    let temporary = try TemporaryContainer(
      for: Trip.self, Stop.self, storage: storage, seed: Journeys.three)
    let context = temporary.makeContext()

    let failure = #expect(throws: ExpectationFailure.self) {
      try expectNoRepeatedFaults(in: temporary, atMost: 2) {
        for stop in try context.fetch(FetchDescriptor<Stop>()) { _ = stop.trip?.name }
      }
    }

    #expect(
      failure?.details == [
        "rows of Trip: 3 times. Fetch with relationshipKeyPathsForPrefetching = [\\Stop.trip]"
      ])
  }

  @Test func inheritedRelationshipsAreNamedOnce() throws {
    let temporary = try TemporaryContainer(
      for: Animal.self, Dog.self, Owner.self,
      seed: """
        {
          "Owner": [{"id": 1, "email": "a"}, {"id": 2, "email": "b"}],
          "Animal": [{"name": "Tom", "owner": 1}],
          "Dog": [{"name": "Rex", "owner": 2}]
        }
        """)
    let context = temporary.makeContext()
    let failure = #expect(throws: ExpectationFailure.self) {
      try expectNoRepeatedFaults(in: temporary, atMost: 1) {
        for animal in try context.fetch(FetchDescriptor<Animal>()) { _ = animal.owner.email }
        let other = temporary.makeContext()
        for owner in try other.fetch(FetchDescriptor<Owner>()) { _ = owner.friends.count }
      }
    }
    #expect(
      failure?.details == [
        "Owner.friends: 2 times. Fetch with relationshipKeyPathsForPrefetching = [\\Owner.friends]",
        "rows of Owner: 2 times. Fetch with relationshipKeyPathsForPrefetching = [\\Animal.owner]",
      ], "\(failure as Any)")
    #expect(failure?.outcome == "2 were")
  }

  @Test func prefetchedRelationshipsPass() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, seed: Journeys.three)
    let context = temporary.makeContext()
    try expectNoRepeatedFaults(in: temporary, atMost: 0) {
      var descriptor = FetchDescriptor<Trip>()
      descriptor.relationshipKeyPathsForPrefetching = [\.stops]
      for trip in try context.fetch(descriptor) { _ = trip.stops.count }
    }
  }

  /// Single models are read by other statements if they are prefetched than if they are faults.
  @Test(arguments: TemporaryContainer.Storage.both)
  func prefetchesForSingleModelsPass(_ storage: TemporaryContainer.Storage) throws {
    let temporary = try TemporaryContainer(
      for: Trip.self, Stop.self, storage: storage, seed: Journeys.three)
    let expected = try temporary.makeContext().fetch(FetchDescriptor<Trip>())
      .map { ($0.name, Set($0.stops.map(\.place))) }
    try expectNoRepeatedFaults(in: temporary, atMost: 0) {
      for (name, names) in expected {
        let context = temporary.makeContext()
        var trips = FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })
        trips.relationshipKeyPathsForPrefetching = [\.stops]
        let found = try context.fetch(trips)
        #expect(found.map { Set($0.stops.map(\.place)) } == [names])
      }
      let context = temporary.makeContext()
      for offset in 0..<3 {
        var stops = FetchDescriptor<Stop>(sortBy: [SortDescriptor(\.place)])
        (stops.fetchLimit, stops.fetchOffset) = (1, offset)
        stops.relationshipKeyPathsForPrefetching = [\.trip]
        #expect(try context.fetch(stops).first?.trip?.name != nil)
      }
    }
  }

  @Test func asynchronousBodiesAreExamined() async throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, seed: Journeys.three)
    let reader = Reader(modelContainer: temporary.container)
    await #expect(throws: ExpectationFailure.self) {
      try await expectNoRepeatedFaults(in: temporary) { try await reader.readOneByOne() }
    }
  }
}

@ModelActor
private actor Reader {
  func readOneByOne() throws {
    for trip in try modelContext.fetch(FetchDescriptor<Trip>()) { _ = trip.stops.count }
  }
}
