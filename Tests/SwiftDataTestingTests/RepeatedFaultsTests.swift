import Foundation
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

  /// Each relationship is counted for itself.
  @Test func theToOneRelationshipThatWasReadIsNamed() throws {
    let temporary = try TemporaryContainer(for: Essay.self, Critic.self)
    let seeding = temporary.makeContext()
    for number in 0..<8 {
      seeding.insert(
        Essay(
          title: "\(number)", author: Critic(name: "a\(number)"),
          reviewer: Critic(name: "r\(number)"), translator: Critic(name: "t\(number)")))
    }
    try seeding.save()
    let context = temporary.makeContext()
    let essays = try context.fetch(FetchDescriptor<Essay>(sortBy: [SortDescriptor(\.title)]))
    let failure = #expect(throws: ExpectationFailure.self) {
      try expectNoRepeatedFaults(in: temporary, atMost: 2) {
        for essay in essays { _ = essay.reviewer?.name }
        for essay in essays.prefix(2) { _ = essay.author.name }
        // Its rows are read to learn whether they exist, because a deletion does not change the essay.
        for essay in essays.prefix(3) { #expect(essay.translator != nil) }
      }
    }
    #expect(
      failure?.details == [
        "rows of Critic: 3 times. Fetch with relationshipKeyPathsForPrefetching = [\\Essay.translator]",
        "rows of Critic: 8 times. Fetch with relationshipKeyPathsForPrefetching = [\\Essay.reviewer]",
      ], "\(failure as Any)")
  }

  @Test(arguments: TemporaryContainer.Storage.both)
  func modelsByIdentifierHaveNoRelationship(_ storage: TemporaryContainer.Storage) throws {
    let temporary = try TemporaryContainer(
      for: Trip.self, Stop.self, storage: storage, seed: Journeys.three)
    let identifiers = try temporary.makeContext().fetchIdentifiers(FetchDescriptor<Trip>())
    let context = temporary.makeContext()
    let failure = #expect(throws: ExpectationFailure.self) {
      try expectNoRepeatedFaults(in: temporary, atMost: 1) {
        for identifier in identifiers { _ = (context.model(for: identifier) as? Trip)?.name }
      }
    }
    #expect(
      failure?.details == [
        "rows of Trip: \(identifiers.count) times. Fetch the models with one fetch by their identifiers, or "
          + "prefetch the relationship through which they are reached"
      ], "\(failure as Any)")
    // A query of the program has the same statement as a fault.
    let other = temporary.makeContext()
    try expectNoRepeatedFaults(in: temporary, atMost: 0) {
      for identifier in identifiers {
        let trip = #Predicate<Trip> { $0.persistentModelID == identifier }
        let found = try other.fetch(FetchDescriptor(predicate: trip))
        #expect(found.count == 1)
      }
    }
  }

  @Test func propertiesThatWereNotFetchedAreNamed() throws {
    let temporary = try TemporaryContainer(for: Essay.self, Critic.self)
    let seeding = temporary.makeContext()
    for number in 0..<4 {
      let author = Critic(name: "a")
      seeding.insert(Essay(title: "\(number)", author: author, reviewer: nil, translator: nil))
    }
    try seeding.save()
    let context = temporary.makeContext()
    var titles = FetchDescriptor<Essay>()
    titles.propertiesToFetch = [\.title]
    let failure = #expect(throws: ExpectationFailure.self) {
      try expectNoRepeatedFaults(in: temporary) {
        for essay in try context.fetch(titles) { _ = essay.likes }
      }
    }
    #expect(
      failure?.details == [
        "rows of Essay that were partly fetched: 4 times. Add the properties that are used to propertiesToFetch"
      ], "\(failure as Any)")
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

@Model
final class Critic {
  var name: String
  @Relationship(inverse: \Essay.author) var essays: [Essay] = []
  @Relationship(inverse: \Essay.reviewer) var reviews: [Essay] = []

  init(name: String) { self.name = name }
}

@Model
final class Essay {
  var title: String
  var likes = 0
  var author: Critic
  var reviewer: Critic?
  var translator: Critic?

  init(title: String, author: Critic, reviewer: Critic?, translator: Critic?) {
    self.title = title
    self.author = author
    self.reviewer = reviewer
    self.translator = translator
  }
}
