import Foundation
import SwiftData
import Testing

extension Travel {
  /// The samples of the article *Getting started*.
  @Suite struct GettingStartedTests {
    /// Compiled only: the default store is a file of the user.
    private func openTheDefaultStore() throws -> ModelContext {
      let container = try ModelContainer(for: Trip.self, Stop.self)
      let context = ModelContext(container)
      return context
    }

    /// Compiled only.
    private func openAFile() throws -> ModelContainer {
      let file = URL(filePath: "/var/lib/travel/travel.store")
      let container = try ModelContainer(
        for: Trip.self, Stop.self, configurations: ModelConfiguration(url: file))
      return container
    }

    @Test func aTripIsInsertedAndFound() throws {
      let context = ModelContext(try container())

      let trip = Trip(name: "Lisbon", start: .now)
      context.insert(trip)
      trip.stops.append(Stop(place: "Belém"))
      try context.save()

      let now = Date.now
      let past = try context.fetch(
        FetchDescriptor<Trip>(
          predicate: #Predicate { $0.start < now && $0.stops.contains { $0.place == "Belém" } },
          sortBy: [SortDescriptor(\.start, order: .reverse)]))

      #expect(past.map(\.name) == ["Lisbon"])
      #expect(past.first === trip)
      try context.enumerate(FetchDescriptor<Trip>(), batchSize: 1000) { trip in
        print(trip.name)
      }
      try context.delete(model: Trip.self, where: #Predicate { $0.start < now })
      #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
      #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 0)
    }

    @Test func changesAreSavedOrDiscarded() throws {
      let (context, trip) = try context()

      trip.name = "Lisbon and Porto"
      context.delete(trip.stops[0])
      try context.save()

      #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 0)

      trip.name = "Nowhere"
      context.rollback()

      #expect(trip.name == "Lisbon and Porto")
    }

    @Test func aTripOfTheSameNameUpdatesTheRow() throws {
      let (context, trip) = try context()
      context.insert(Trip(name: trip.name, start: .distantFuture))
      try context.save()
      #expect(try context.fetch(FetchDescriptor<Trip>()).map(\.start) == [.distantFuture])
    }

    @Test func aConfigurationLogsStatements() throws {
      var configuration = ModelConfiguration()
      configuration.statementLog = StatementLog { event in print(event) }

      #expect(configuration.statementLog != nil)
    }

    private func container() throws -> ModelContainer { try Travel.container() }

    private func context() throws -> (ModelContext, Trip) { try Travel.context() }
  }
}
