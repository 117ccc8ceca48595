import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

/// Changes that arrive while an observer reads. It is registered at the end of its scope, so they must be
/// announced after that.
@MainActor
@Suite(.databases) struct ObserverScopeTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    context = try Library.shelves(["a", "b"])
    container = context.container
  }

  private func observer() throws -> ResultsObserver<Shelf, Never> {
    try ResultsObserver(sortBy: [SortDescriptor(\.label)], modelContext: context)
  }

  /// A scope does not throw.
  private func saveElsewhere(_ body: (ModelContext) throws -> Void) {
    #expect(throws: Never.self) {
      let other = ModelContext(container)
      try body(other)
      try other.save()
    }
  }

  /// How a scope can meet the save of another context.
  enum SecondRead: CaseIterable { case error, results, fetch, otherObserver }

  @Test(arguments: SecondRead.allCases)
  func aModelThatIsAddedDuringAScopeIsAnnounced(_ read: SecondRead) async throws {
    let labels = try await labels(after: read) { $0.insert(Shelf(label: "c")) }
    #expect(labels == ["a", "b", "c"])
  }

  @Test(arguments: SecondRead.allCases)
  func aPropertyThatIsEditedDuringAScopeIsAnnounced(_ read: SecondRead) async throws {
    let labels = try await labels(after: read) {
      try $0.fetch(FetchDescriptor<Shelf>()).last?.label = "bb"
    }
    #expect(labels.contains("bb"))
  }

  /// What an observer shows after it was notified of a save that arrived between two reads of its scope.
  private func labels(
    after read: SecondRead, _ edit: (ModelContext) throws -> Void
  ) async throws -> [String] {
    let (observer, other) = (try observer(), try observer())
    let calls = Mutex(0)
    let seen = withObservationTracking {
      let labels = observer.results.map(\.label)
      saveElsewhere(edit)
      self.read(read, observer, other)
      return labels
    } onChange: {
      calls.withLock { $0 += 1 }
    }
    #expect(seen == ["a", "b"] && calls.withLock { $0 } == 0)
    try await eventually("a notification") { calls.withLock { $0 } == 1 }
    return observer.results.map(\.label)
  }

  private func read(
    _ read: SecondRead, _ observer: ResultsObserver<Shelf, Never>,
    _ other: ResultsObserver<Shelf, Never>
  ) {
    switch read {
    case .error: #expect(observer.fetchError == nil)
    case .results: _ = observer.results.count
    case .fetch: #expect(throws: Never.self) { try context.fetch(FetchDescriptor<Shelf>()) }
    case .otherObserver: _ = other.results.count
    }
  }

  /// After the notification nothing changes any more, so nobody is notified again.
  @Test func aScopeIsNotRepeatedForEver() async throws {
    let observer = try observer()
    var rounds = 0
    while rounds < 10 {
      rounds += 1
      let (changes, change) = AsyncStream.makeStream(of: Void.self)
      withObservationTracking {
        _ = observer.results.count
        if rounds == 1 { saveElsewhere { $0.insert(Shelf(label: "c")) } }
        _ = observer.results.count
      } onChange: {
        change.finish()
      }
      // The second round waits in vain.
      Task {
        try await Task.sleep(for: .milliseconds(200))
        change.yield()
      }
      var iterator = changes.makeAsyncIterator()
      if await iterator.next() != nil { break }
    }
    #expect(rounds == 2)
  }

  /// Without an actor, observers are notified by a save or `processPendingChanges`.
  @Test func anObserverWithoutAnActorIsNotifiedToo() async throws {
    let container = container
    let found = try await onThread { () throws -> [Int] in
      let context = ModelContext(container)
      let observer = try ResultsObserver<Shelf, Never>(modelContext: context, isolation: nil)
      let calls = Mutex(0)
      withObservationTracking {
        _ = observer.results.count
        let other = ModelContext(container)
        other.insert(Shelf(label: "c"))
        #expect(throws: Never.self) { try other.save() }
        _ = observer.results.count
      } onChange: {
        calls.withLock { $0 += 1 }
      }
      let before = calls.withLock { $0 }
      context.processPendingChanges()
      return [before, calls.withLock { $0 }]
    }
    #expect(found == [0, 1])
  }
}
