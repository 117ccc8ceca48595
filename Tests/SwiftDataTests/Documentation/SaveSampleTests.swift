import Foundation
import SwiftData
import Testing

extension Travel {
  /// The samples on transactions, snapshots and the policies of saves.
  @Suite struct SaveSampleTests {
    @Test func aTransactionReadsAndWritesUnderTheLock() throws {
      let (context, trip) = try Travel.context()

      try context.transaction {
        let trip = try context.fetch(FetchDescriptor<Trip>()).first
        trip?.name += " again"
      }

      try context.transaction(waitingAtMost: .seconds(1)) { trip.name += " once more" }

      #expect(try context.stored(Trip.self).map(\.name) == ["Lisbon again once more"])
    }

    @Test func aSnapshotReadsOneState() throws {
      let (context, _) = try Travel.context()

      let (trips, stops) = try context.snapshot {
        try (context.fetch(FetchDescriptor<Trip>()), context.fetchCount(FetchDescriptor<Stop>()))
      }

      #expect(trips.count == 1 && stops == 1)
    }

    @Test func aConflictIsRefused() throws {
      let (context, trip) = try Travel.context()
      let other = ModelContext(context.container)
      try #require(try other.fetch(FetchDescriptor<Trip>()).first).name = "Faro"

      context.conflictPolicy = .refuse
      trip.name = "Porto"

      try other.save()

      do {
        try context.save()
      } catch let error as SwiftDataError where error == .saveConflict {
        context.rollback()
      }

      trip.name = "Braga"

      do {
        try context.save()
      } catch let error as SwiftDataError where error == .saveConflict {
        for conflict in error.conflicts {
          print(conflict.identifier, conflict.properties.map(\.name))
        }
        context.rollback()
      }
      #expect(try context.stored(Trip.self).map(\.name) == ["Braga"])
    }

    @Test func anUpsertIsRefused() throws {
      let (context, trip) = try Travel.context()

      context.uniquenessPolicy = .refuse
      context.insert(Trip(name: "Lisbon", start: .now))
      do {
        try context.save()
      } catch let error as SwiftDataError where error == .uniquenessViolation {
        print(error.holder ?? "another new model")
        context.rollback()
      }

      #expect(!context.hasChanges && trip.start < .now - 30)
    }
  }
}
