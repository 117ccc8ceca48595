import Foundation
import SwiftData
import SwiftDataTools
import Testing

extension Travel {
  /// The samples of the article *Errors*.
  @Suite struct ErrorArticleTests {
    @Test func aKindOfErrorIsAPattern() throws {
      let (context, trip) = try Travel.context()
      context.insert(Trip(name: "Porto", start: .now))
      try context.save()
      trip.name = "Porto"

      do {
        try context.save()
      } catch SwiftDataError.modelValidationFailure {
        context.rollback()
      }

      #expect(!context.hasChanges)
      #expect(trip.name == "Lisbon")
    }

    @Test func anErrorHasParts() throws {
      let (context, trip) = try Travel.context()
      context.insert(Trip(name: "Porto", start: .now))
      try context.save()
      trip.name = "Porto"
      var lines: [String] = []
      func print(_ items: Any...) { lines.append(items.map { "\($0)" }.joined(separator: " ")) }

      do {
        try context.save()
      } catch let error as SwiftDataError {
        print(error.code, error.operation, error.entity ?? "", error.property ?? "")
        if let failure = error.database { print(failure.name, failure.sql ?? "") }
      }

      #expect(lines.count == 1)
      #expect(lines.first?.hasPrefix("modelValidationFailure") == true)
      #expect(lines.first?.hasSuffix("Trip name") == true)
    }

    @Test func theDefaultStoreKeepsHistory() throws {
      let (context, _) = try Travel.context()
      let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      #expect(history.count == 1)
    }

    @Test func aClassOutsideOfTheSchemaMakesTheSaveThrow() throws {
      let context = ModelContext(try Travel.container())
      context.insert(Ticket(code: "a", number: 1, row: 1, seat: 1))
      #expect(throws: SwiftDataError.unknownSchema) { try context.save() }
    }

    @Test func aTransactionSavesOrDiscards() throws {
      let (context, trip) = try Travel.context()

      try context.transaction {
        trip.name = "Porto"
        trip.stops.removeAll()
      }

      #expect(!context.hasChanges)
      #expect(trip.name == "Porto")
    }

    /// The files of a server; compiled only.
    private func filesOfAServer() -> [URL] {
      let damaged = URL(filePath: "/var/lib/travel/travel.store")
      let recovered = URL(filePath: "/var/lib/travel/recovered.store")

      return [damaged, recovered]
    }

    @Test func aDamagedStoreIsRecovered() throws {
      let folder = try TemporaryFolder()
      let damaged = folder.store
      let recovered = folder.url.appendingPathComponent("recovered.store")
      do {
        let context = ModelContext(
          try ModelContainer(
            for: Trip.self, Stop.self, configurations: ModelConfiguration(url: damaged)))
        context.insert(Trip(name: "Lisbon", start: .now))
        try context.save()
      }

      let recovery = try ModelContainer.recoverStore(at: damaged, to: recovered)
      print(recovery)
      let container = try ModelContainer(
        for: Trip.self, Stop.self, configurations: ModelConfiguration(url: recovered))

      #expect(recovery.isComplete)
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
    }
  }
}
