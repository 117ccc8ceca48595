import Foundation
import Observation
import SwiftData
import Testing

/// The samples on changes that others make.
@Suite(.databases) struct ObservationSampleTests {
  private typealias Trip = Travel.Trip

  private func observe(_ container: ModelContainer) -> any NSObjectProtocol {
    container.observesRemoteChanges = true
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContainer.remoteChange, object: container, queue: nil
    ) { notification in
      let end = notification.userInfo?[ModelContainer.remoteChangeTokenKey] as? DefaultHistoryToken
      print("changed up to transaction", end?.id ?? 0)
    }
    return observer
  }

  @Test func remoteChangesAreObserved() throws {
    let folder = try TemporaryFolder()
    let container = try StoreFolder.container(folder.store)
    let observer = observe(container)
    #expect(container.observesRemoteChanges)
    NotificationCenter.default.removeObserver(observer)
  }

  @Test func aSaveNamesWhatItInserted() throws {
    let context = ModelContext(try Library.container())
    nonisolated(unsafe) var found: [PersistentIdentifier] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      let inserted = notification.userInfo?["inserted"] as? [PersistentIdentifier] ?? []
      found = inserted
    }
    let author = Author(name: "Ann")
    context.insert(author)
    try context.save()
    NotificationCenter.default.removeObserver(observer)
    #expect(found == [author.persistentModelID])
  }

  @Test func aDifferenceIsSentAsJSON() throws {
    let shown = try ["p1", "p2"].map {
      try PersistentIdentifier.identifier(for: "s", entityName: "Trip", primaryKey: $0)
    }
    let current = Array(shown.reversed())
    let changed = Set(shown.prefix(1))
    let difference = ResultsDifference(from: shown, to: current, updated: changed)
    let message = try JSONEncoder().encode(difference)
    #expect(try JSONDecoder().decode(ResultsDifference.self, from: message) == difference)
  }

  @MainActor @Test func resultsAreObserved() async throws {
    let (context, trip) = try Travel.context()
    let observer = try ResultsObserver(
      filterBy: #Predicate<Trip> { $0.name != "" }, sortBy: [SortDescriptor(\.start)],
      modelContext: context)
    withObservationTracking {
      print(observer.results.map(\.name))
    } onChange: {
      print("the trips change")
    }
    #expect(observer.results.map(\.name) == [trip.name])
  }

  @Test func historyIsObserved() throws {
    let container = try Travel.container()
    let observer = try HistoryObserver(
      observedModels: [Trip.self], authors: ["server"], modelContainer: container)
    let events = observer.eventCounter
    #expect(events == 0)
  }

  @MainActor @Test func resultsAreASequence() async throws {
    let (context, trip) = try Travel.context()
    var shown: [String] = []
    func show(_ trips: [Trip]) {
      shown = trips.map(\.name)
      if shown.count == 2 { task?.cancel() }
    }
    var task: Task<Void, Never>?
    task = Task { @MainActor in
      for await trips in context.results(of: FetchDescriptor<Trip>()) {
        show(trips)
      }
    }
    try await eventually("the first trips") { shown == [trip.name] }
    context.insert(Trip(name: "Porto", start: .now))
    await task?.value
    #expect(shown.count == 2)
  }

  @MainActor @Test func changesAreASequence() async throws {
    let (context, trip) = try Travel.context()
    var sent: [Data] = []
    var task: Task<Void, any Error>?
    func send(_ message: Data) {
      sent.append(message)
      if sent.count == 2 { task?.cancel() }
    }
    task = Task { @MainActor in
      for await change in context.changes(of: FetchDescriptor<Trip>()) {
        send(try JSONEncoder().encode(change.difference))
      }
    }
    try await eventually("the first message") { sent.count == 1 }
    trip.start = .now
    try await task?.value
    let last = try JSONDecoder().decode(ResultsDifference.self, from: try #require(sent.last))
    #expect(last.updated.map(\.identifier) == [trip.persistentModelID])
  }

  @MainActor @Test func historyIsASequence() async throws {
    let (context, _) = try Travel.context()
    var token: DefaultHistoryToken?
    var count = 0
    var task: Task<Void, any Error>?
    func apply(_ changes: [HistoryChange]) {
      count += changes.count
      task?.cancel()
    }
    task = Task { @MainActor in
      for try await transactions in context.history(since: token) {
        for transaction in transactions { apply(transaction.changes) }
        token = transactions.last?.token
      }
    }
    try await task?.value
    #expect(count == 2)
    #expect(token?.id == 1)
  }
}
