import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

/// Observers that are notified of a change, and change something themselves before they return.
@MainActor
@Suite(.databases) struct ObserverReentrancyTests {
  private let context: ModelContext

  init() throws { context = try Library.shelves(["a", "b", "c"]) }

  private func observer() throws -> ResultsObserver<Shelf, Never> {
    try ResultsObserver(sortBy: [SortDescriptor(\.label)], modelContext: context)
  }

  /// Runs `body` in the first notification of `observer`. Tracking ends after it returns, so what it changes
  /// itself is a notification too.
  private func onChange(
    of observer: ResultsObserver<Shelf, Never>, _ body: @escaping @MainActor () -> Void
  ) {
    let isFirst = Mutex(true)
    withObservationTracking {
      _ = observer.results.count
    } onChange: {
      let runs = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      if runs { MainActor.assumeIsolated { body() } }
    }
  }

  @Test func aRequestThatIsSetInANotificationIsAnswered() throws {
    let observer = try observer()
    onChange(of: observer) {
      observer.filterBy = #Predicate { $0.label > "b" }
      _ = observer.results.count
    }
    context.insert(Shelf(label: "d"))
    _ = observer.results.count
    #expect(observer.results.map(\.label) == ["c", "d"])
  }

  @Test func aModelThatIsInsertedInANotificationIsShown() throws {
    let observer = try observer()
    onChange(of: observer) {
      context.insert(Shelf(label: "e"))
      _ = observer.results.count
    }
    context.insert(Shelf(label: "d"))
    _ = observer.results.count
    #expect(observer.results.map(\.label) == ["a", "b", "c", "d", "e"])
  }

  @Test func aModelThatIsDeletedInANotificationIsNotShown() throws {
    let observer = try observer()
    let first = try #require(observer.results.first)
    onChange(of: observer) {
      context.delete(first)
      _ = observer.results.count
    }
    context.insert(Shelf(label: "d"))
    _ = observer.results.count
    #expect(observer.results.map(\.label) == ["b", "c", "d"])
  }

  @Test func whatIsShownInsteadInANotificationIsShown() throws {
    let observer = try observer()
    let shown = Array(observer.results.prefix(1))
    onChange(of: observer) { observer.results = FetchResultsCollection(shown) }
    context.insert(Shelf(label: "d"))
    _ = observer.results.count
    #expect(observer.results.map(\.label) == ["a"])
  }

  /// Two observers: the second one is notified too where the first one inserts in its notification.
  @Test func anInsertionInANotificationReachesTheOtherObserver() async throws {
    let (first, second) = (try observer(), try observer())
    let calls = Mutex(0)
    onChange(of: first) {
      context.insert(Shelf(label: "e"))
      _ = first.results.count
    }
    withObservationTracking {
      _ = second.results.count
    } onChange: {
      calls.withLock { $0 += 1 }
    }
    context.insert(Shelf(label: "d"))
    try await eventually("a call") { calls.withLock { $0 } > 0 }
    #expect(calls.withLock { $0 } == 1)
    withObservationTracking {
      _ = second.results.count
    } onChange: {
      calls.withLock { $0 += 1 }
    }
    // Inside the notification of the first one, from the job that notifies both.
    onChange(of: first) { context.insert(Shelf(label: "g")) }
    context.insert(Shelf(label: "f"))
    try await eventually("a second call") { calls.withLock { $0 } > 1 }
    #expect(calls.withLock { $0 } == 2)
    let all = ["a", "b", "c", "d", "e", "f", "g"]
    try await eventually("all shelves") { second.results.map(\.label) == all }
  }

  /// What is inserted while observers are notified starts another round, also when nothing reads the results.
  @Test func aChangeDuringANotificationStartsAnotherNotification() async throws {
    let (first, second) = (try observer(), try observer())
    let calls = Mutex(0)
    // The second observer answers first, and is observed again, before this insertion comes.
    onChange(of: first) {
      withObservationTracking {
        _ = second.results.count
      } onChange: {
        calls.withLock { $0 += 1 }
      }
      context.insert(Shelf(label: "e"))
    }
    context.insert(Shelf(label: "d"))
    try await eventually("a call") { calls.withLock { $0 } > 0 }
    #expect(calls.withLock { $0 } == 1)
  }
}
