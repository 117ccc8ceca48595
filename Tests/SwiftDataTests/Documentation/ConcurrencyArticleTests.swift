import Foundation
import SwiftData
import Synchronization
import Testing

extension Travel {
  /// The samples of the article *Concurrency*.
  @Suite struct ConcurrencyArticleTests {
    @Test func anActorImports() async throws {
      let container = try Travel.container()

      let importer = Importer(modelContainer: container)
      try await importer.add(["Lisbon", "Porto"])

      let trips = try ModelContext(container).fetchIdentifiers(
        FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
      #expect(await importer.name(of: try #require(trips.last)) == "Porto")
    }

    @Test func theLaterSaveIsAnnounced() throws {
      let (first, mine) = try Travel.context()
      let context = ModelContext(first.container)
      let theirs = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
      let count = Mutex(0)
      let observer = observe(context)
      let counter = NotificationCenter.default.addObserver(
        forName: ModelContext.didOverwrite, object: context, queue: nil
      ) { _ in
        count.withLock { $0 += 1 }
      }
      mine.start = .distantPast
      try first.save()
      theirs.start = .distantFuture
      try context.save()
      for observer in [observer, counter] { NotificationCenter.default.removeObserver(observer) }
      #expect(count.withLock { $0 } == 1)
    }

    private func observe(_ context: ModelContext) -> any NSObjectProtocol {
      let observer = NotificationCenter.default.addObserver(
        forName: ModelContext.didOverwrite, object: context, queue: nil
      ) { notification in
        let names =
          notification.userInfo?[ModelContext.overwrittenPropertiesKey]
          as? [PersistentIdentifier: [String]]
        print("replaced:", names ?? [:])
      }
      return observer
    }

    @Test @MainActor func whatIsPendingIsSavedBeforeTheEnd() async throws {
      let container = try Travel.container()

      container.mainContext.insert(Trip(name: "Faro", start: .now))
      try await container.settle()

      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
    }

    @Test func anEditIsUndone() throws {
      let (context, trip) = try Travel.context()

      context.undoManager = UndoManager()
      trip.name = "Porto"
      context.undoManager?.undo()

      #expect(trip.name == "Lisbon")
    }
  }
}
