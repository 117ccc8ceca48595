import Foundation
import SwiftData
import Testing

extension Travel {
  /// What the documentation says about statements and rows, and the samples of single calls.
  @Suite struct CostTests {
    private let recorder = StatementRecorder()
    private let container: ModelContainer

    /// Ten trips with two stops each.
    init() throws {
      container = try recorder.container([Trip.self, Stop.self])
      let context = ModelContext(container)
      for number in 0..<10 {
        let trip = Trip(name: "L\(number)", start: .now)
        context.insert(trip)
        trip.stops = [Stop(place: "a"), Stop(place: "b")]
      }
      try context.save()
    }

    private func statements(_ body: (ModelContext) throws -> Void) throws -> [String] {
      let context = ModelContext(container)
      return try recorder.during { try body(context) }.map { String($0.sql.prefix(6)) }
    }

    @Test func aFetchIsOneStatementAndOneForEachPrefetchedPath() throws {
      #expect(try statements { _ = try $0.fetch(FetchDescriptor<Trip>()) } == ["SELECT"])
      #expect(try statements { _ = try $0.fetchCount(FetchDescriptor<Trip>()) } == ["SELECT"])
      let prefetching = try statements { context in
        var descriptor = FetchDescriptor<Trip>(
          predicate: #Predicate { $0.name.hasPrefix("L") },
          sortBy: [SortDescriptor(\.start)])
        descriptor.fetchLimit = 10
        descriptor.relationshipKeyPathsForPrefetching = [\.stops]
        let trips = try context.fetch(descriptor)

        #expect(trips.map(\.stops.count) == Array(repeating: 2, count: 10))
      }
      #expect(prefetching == ["SELECT", "SELECT"])
      let reading = try statements { context in
        for trip in try context.fetch(FetchDescriptor<Trip>()) { _ = trip.stops }
      }
      #expect(reading.count == 11)
    }

    @Test func enumerationIsOneStatementForTheKeysAndOneForEachBatch() throws {
      let batches = try statements { context in
        try context.enumerate(FetchDescriptor<Trip>(), batchSize: 4) { _ in }
      }
      #expect(batches.count == 4)
    }

    @Test func insertingDeletingAndRollingBackRunNothing() throws {
      let context = ModelContext(container)
      let trips = try context.fetch(FetchDescriptor<Trip>())
      let statements = try recorder.during {
        context.insert(Trip(name: "new", start: .now))
        context.delete(trips[0])
        trips[1].name = "other"
        context.rollback()
        try context.save()
      }
      #expect(statements.isEmpty)
      #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 10)
    }

    @Test func aSaveWritesARowForEachModel() throws {
      let changes = try statements { context in
        for trip in try context.fetch(FetchDescriptor<Trip>()) { trip.start = .distantPast }
        try context.save()
      }
      #expect(changes.filter { $0 == "UPDATE" }.count == 10)
      let deletions = try statements { context in
        let trip = try context.fetch(FetchDescriptor<Trip>())[0]

        context.delete(trip)
        try context.save()
      }
      // One to fetch, then one for each delete rule, and one for each entity.
      #expect(deletions.filter { $0 == "SELECT" }.count == 2)
      #expect(deletions.filter { $0 == "DELETE" }.count == 2)
    }

    @Test func sectionsHaveTitles() throws {
      let trips = try ModelContext(container).fetch(FetchDescriptor<Trip>())
      let sections = SectionedResults(trips, by: \.name)

      for section in sections {
        print(section.title, section.count)
      }

      #expect(sections.count == 10)
    }
  }
}
