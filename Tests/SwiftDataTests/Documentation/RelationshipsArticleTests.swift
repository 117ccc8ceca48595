import Foundation
import SwiftData
import Synchronization
import Testing

enum RelationshipsArticle {
  @Model
  final class Trip {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
    @Relationship(inverse: \Tag.trips) var tags: [Tag] = []
    @Relationship(inverse: \Ticket.trip) var ticket: Ticket?

    init(name: String) { self.name = name }
  }

  @Model
  final class Stop {
    var place: String
    var trip: Trip?

    init(place: String) { self.place = place }
  }

  @Model
  final class Tag {
    @Attribute(.unique) var name: String
    var trips: [Trip] = []

    init(name: String) { self.name = name }
  }

  @Model
  final class Ticket {
    var code: String
    var trip: Trip?

    init(code: String) { self.code = code }
  }

  /// Two relationships lead back to the airport.
  enum Doubtful {
    @Model
    final class Airport {
      var code: String
      var flights: [Flight] = []

      init(code: String) { self.code = code }
    }

    @Model
    final class Flight {
      var origin: Airport?
      var destination: Airport?

      init() {}
    }
  }

  /// Each of them has its inverse.
  enum Settled {
    @Model
    final class Airport {
      var code: String
      @Relationship(inverse: \Flight.origin) var departures: [Flight] = []
      @Relationship(inverse: \Flight.destination) var arrivals: [Flight] = []

      init(code: String) { self.code = code }
    }

    @Model
    final class Flight {
      var origin: Airport?
      var destination: Airport?

      init() {}
    }
  }
}

/// The samples of the article *Relationships*, and what it says about statements.
@Suite struct RelationshipsArticleTests {
  typealias Trip = RelationshipsArticle.Trip
  typealias Stop = RelationshipsArticle.Stop
  typealias Tag = RelationshipsArticle.Tag
  typealias Ticket = RelationshipsArticle.Ticket

  private func emptyContext() throws -> ModelContext {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Trip.self, configurations: configuration)
    let context = ModelContext(container)

    return context
  }

  private func fill(_ context: ModelContext) throws -> Trip {
    let trip = Trip(name: "Lisbon")
    context.insert(trip)
    trip.stops = [Stop(place: "Belém"), Stop(place: "Alfama")]
    trip.ticket = Ticket(code: "A1")
    trip.tags.append(Tag(name: "coast"))
    try context.save()

    return trip
  }

  @Test func settingOneSideSetsTheOther() throws {
    let context = try emptyContext()
    let trip = try fill(context)
    #expect(trip.stops.allSatisfy { $0.trip === trip })
    #expect(trip.ticket?.trip === trip)
    #expect(trip.tags.first?.trips.first === trip)
    let other = Trip(name: "Porto")
    context.insert(other)
    other.stops.append(trip.stops[0])
    other.ticket = trip.ticket
    #expect(trip.stops.count == 1 && trip.ticket == nil)
    try context.save()
    let stored = try context.stored(Trip.self)
    #expect(stored.map(\.stops.count) == [1, 1])
    #expect(stored.filter { $0.ticket != nil }.map(\.name) == ["Porto"])
  }

  @Test func anAmbiguousInverseIsReported() throws {
    typealias Airport = RelationshipsArticle.Doubtful.Airport
    typealias Flight = RelationshipsArticle.Doubtful.Flight
    let lines = Mutex<[String]>([])
    let note: @Sendable (String) -> Void = { line in lines.withLock { $0.append(line) } }
    let container = try WarningLog.$receiver.withValue(note) {
      try ModelContainer(
        for: Airport.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    #expect(
      lines.withLock { $0 } == [
        "Airport.flights has no inverse, because there are several candidates: Flight.origin and "
          + "Flight.destination. Setting one side does not set the other. Add @Relationship(inverse:) with the "
          + "key path of one of them."
      ])
    let context = ModelContext(container)
    let (airport, flight) = (Airport(code: "LIS"), Flight())
    context.insert(airport)
    airport.flights = [flight]
    #expect(flight.origin == nil && flight.destination == nil)
  }

  @Test func writtenInversesAreKeptApart() throws {
    typealias Airport = RelationshipsArticle.Settled.Airport
    typealias Flight = RelationshipsArticle.Settled.Flight
    let context = ModelContext(
      try ModelContainer(
        for: Airport.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let (airport, flight) = (Airport(code: "LIS"), Flight())
    context.insert(airport)
    airport.departures = [flight]
    #expect(flight.origin === airport && flight.destination == nil)
    #expect(airport.arrivals.isEmpty)
  }

  @Test func aDeletionFollowsTheRules() throws {
    let context = try emptyContext()
    let trip = try fill(context)

    context.delete(trip)
    try context.save()

    #expect(try context.count(Stop.self) == 0)
    #expect(try context.stored(Ticket.self).map { $0.trip == nil } == [true])
    #expect(try context.stored(Tag.self).map(\.trips.count) == [0])
  }

  @Test func membersAreSortedWhereTheyAreRead() throws {
    let context = try emptyContext()
    let trip = try fill(context)

    let places = trip.stops.sorted { $0.place < $1.place }.map(\.place)

    #expect(places == ["Alfama", "Belém"])
  }

  @Test func theToOneSideLoadsNothing() throws {
    let recorder = StatementRecorder()
    let container = try recorder.container([Trip.self])
    _ = try fill(ModelContext(container))
    let context = ModelContext(container)
    let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    let setting = recorder.during {
      let stop = Stop(place: "Cascais")
      stop.trip = trip
    }
    #expect(setting.isEmpty)
    let appending = recorder.during { trip.stops.append(Stop(place: "Queluz")) }
    #expect(appending.count == 1)
    let again = recorder.during { trip.stops.append(Stop(place: "Mafra")) }
    #expect(again.isEmpty)

    let stop = Stop(place: "Sintra")
    stop.trip = trip
    try context.save()

    #expect(try context.stored(Trip.self).map(\.stops.count) == [6])
  }
}
