import Foundation
import Observation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Synchronization
import Testing

/// Observers of results, as client code uses them.
@MainActor
struct ResultsObserverTests {
  typealias Trip = Travel.Trip
  typealias Stop = Travel.Stop

  private let container: ModelContainer
  private let context: ModelContext
  private let statements = StatementRecorder()

  init() throws {
    container = try statements.container([Trip.self, Stop.self])
    context = ModelContext(container)
  }

  @discardableResult
  private func add(_ name: String, _ context: ModelContext? = nil) -> Trip {
    let trip = Trip(name: name, start: Date(timeIntervalSinceReferenceDate: 0))
    (context ?? self.context).insert(trip)
    return trip
  }

  @Test func itFollowsEditsOfItsContext() throws {
    let observer = try ResultsObserver<Trip, Never>(
      filterBy: #Predicate { $0.name != "hidden" }, sortBy: [SortDescriptor(\.name)],
      modelContext: context)
    #expect(observer.results.isEmpty)
    let (b, a) = (add("b"), add("a"))
    #expect(observer.results.map(\.name) == ["a", "b"])
    #expect(observer.results.first === a)
    b.name = "A"
    #expect(observer.results.map(\.name) == ["A", "a"])
    try context.save()
    #expect(observer.results.map(\.name) == ["A", "a"])
    a.name = "hidden"
    #expect(observer.results.map(\.name) == ["A"])
    context.rollback()
    #expect(observer.results.map(\.name) == ["A", "a"])
    context.delete(b)
    #expect(observer.results.map(\.name) == ["a"])
    #expect(observer.sections == nil)
    #expect(observer.debugDescription == "ResultsObserver(Trip, 1 models)")
  }

  @Test func aRequestWithoutPendingChangesFollowsSavesOfItsContext() throws {
    let (a, _) = (add("a"), add("b"))
    try context.save()
    var descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.name != "hidden" }, sortBy: [SortDescriptor(\.name)])
    descriptor.includePendingChanges = false
    let observer = try ResultsObserver(fetchDescriptor: descriptor, modelContext: context)
    var names: [String] { observer.results.map(\.name) }
    a.name = "hidden"
    #expect(names == ["hidden", "b"])
    try context.save()
    #expect(names == ["b"])
    a.name = "z"
    #expect(names == ["b"])
    try context.save()
    #expect(names == ["b", "z"])
    a.name = "a"
    #expect(names == ["b", "a"])
    try context.save()
    #expect(names == ["a", "b"])
    add("c")
    #expect(names == ["a", "b"])
    try context.save()
    #expect(names == ["a", "b", "c"])
  }

  @Test func aSaveOfEditsThatWereFollowedFetchesNothing() throws {
    let a = add("a")
    try context.save()
    let observer = try ResultsObserver<Trip, Never>(
      sortBy: [SortDescriptor(\.name)], modelContext: context)
    a.name = "b"
    #expect(observer.results.count == 1)
    let fetches = try statements.during {
      try context.save()
      _ = observer.results
    }.filter { $0.sql.contains("ORDER BY") }
    #expect(fetches.isEmpty)
  }

  @Test func observersAreCalledOnTheActor() async throws {
    let observer = try ResultsObserver<Trip, Never>(
      sortBy: [SortDescriptor(\.name)], modelContext: context)
    let calls = Mutex(0)
    withObservationTracking {
      _ = observer.results
    } onChange: {
      calls.withLock { $0 += 1 }
    }
    add("a")
    add("b")
    try await eventually("a call") { calls.withLock { $0 } > 0 }
    #expect(calls.withLock { $0 } == 1)
    #expect(observer.results.map(\.name) == ["a", "b"])
  }

  @Test func savesOfOtherContextsAreFollowed() async throws {
    let observer = try ResultsObserver<Trip, Never>(
      sortBy: [SortDescriptor(\.name)], modelContainer: container)
    let calls = Mutex(0)
    withObservationTracking {
      _ = observer.results
    } onChange: {
      calls.withLock { $0 += 1 }
    }
    let container = container
    try await Task.detached {
      let other = ModelContext(container)
      other.insert(Trip(name: "elsewhere", start: .now))
      try other.save()
    }.value
    try await eventually("a call") { calls.withLock { $0 } > 0 }
    #expect(calls.withLock { $0 } == 1)
    #expect(observer.results.map(\.name) == ["elsewhere"])
  }

  @Test func modelsStayTheSameInstances() throws {
    let trip = add("a")
    try context.save()
    let observer = try ResultsObserver<Trip, Never>(modelContext: context)
    #expect(observer.results.first === trip)
    let other = ModelContext(container)
    let there = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
    there.start = .distantFuture
    add("b", other)
    try other.save()
    #expect(observer.results.count == 2)
    #expect(observer.results.first === trip)
    #expect(trip.start == .distantFuture)
  }

  @Test func changesThatThePredicateDoesNotReadRunNoStatement() throws {
    let trip = add("a")
    trip.stops.append(Stop(place: "x"))
    try context.save()
    let name = "a"
    let observer = try ResultsObserver<Trip, Never>(
      filterBy: #Predicate { $0.name == name }, modelContext: context)
    #expect(observer.results.count == 1)
    let other = ModelContext(container)
    let stop = try #require(try other.fetch(FetchDescriptor<Stop>()).first)
    let fetched = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
    _ = observer.results
    stop.place = "y"
    fetched.start = .distantFuture
    try other.save()
    trip.start = .distantPast
    _ = trip.stops.first?.place
    func fetches(_ body: () -> Void) -> Int {
      statements.during(body).filter { $0.sql.contains(#"WHERE "t0"."ZNAME""#) }.count
    }
    var count = 0
    #expect(fetches { count = observer.results.count } == 0)
    #expect(count == 1)
    context.rollback()
    #expect(fetches { count = observer.results.count } == 0)
    fetched.name = "b"
    try other.save()
    _ = observer.results
    #expect(observer.results.isEmpty)
  }

  @Test func relationshipsThatThePredicateReadsAreFollowed() throws {
    let trip = add("a")
    let stop = Stop(place: "x")
    trip.stops.append(stop)
    try context.save()
    let place = "y"
    let observer = try ResultsObserver<Trip, Never>(
      filterBy: #Predicate { $0.stops.contains { $0.place == place } }, modelContext: context)
    #expect(observer.results.isEmpty)
    let other = ModelContext(container)
    let there = try #require(try other.fetch(FetchDescriptor<Stop>()).first)
    there.place = "y"
    try other.save()
    #expect(observer.results.count == 1)
    there.trip = nil
    try other.save()
    #expect(observer.results.isEmpty)
    there.trip = try other.fetch(FetchDescriptor<Trip>()).first
    try other.save()
    #expect(observer.results.count == 1)
    other.delete(there)
    try other.save()
    #expect(observer.results.isEmpty)
  }

  @Test func theRequestCanBeChanged() throws {
    for name in ["a", "b", "c"] { add(name) }
    let observer = try ResultsObserver<Trip, Never>(modelContext: context)
    observer.sortBy = [SortDescriptor(\.name, order: .reverse)]
    #expect(observer.results.map(\.name) == ["c", "b", "a"])
    observer.filterBy = #Predicate { $0.name > "a" }
    #expect(observer.results.map(\.name) == ["c", "b"])
    #expect(observer.fetchDescriptor.sortBy.count == 1)
    observer.filterBy = nil
    #expect(observer.results.count == 3)
  }

  @Test func sectionsFollowTheirProperty() throws {
    let titles = ["b", "a", "b", "c"]
    let stops = titles.map { Stop(place: $0) }
    for stop in stops { context.insert(stop) }
    let observer = try ResultsObserver(
      fetchDescriptor: FetchDescriptor<Stop>(), sectionBy: \.place, modelContext: context)
    #expect(observer.sections?.sectionTitles == ["a", "b", "c"])
    #expect(observer.sections?[sectionTitle: "b"]?.count == 2)
    #expect(observer.sectionBy == \Stop.place)
    stops[0].place = "a"
    #expect(observer.sections?.map(\.count) == [2, 1, 1])
    #expect(observer.element(at: [1, 0]) === stops[2])
    #expect(observer.element(at: [3, 0]) == nil)
    #expect(observer.indexPath(for: stops[3]) == [2, 0])
    observer.sortBy = [SortDescriptor(\.trip?.name)]
    #expect(observer.sections?.sectionTitles == ["a", "b", "c"])
  }

  @Test func sectionsHaveTheOrderOfTheRequest() throws {
    for (name, place) in [("x", "b"), ("y", "a"), ("z", "c"), ("w", "b")] {
      let stop = Stop(place: place)
      context.insert(stop)
      stop.trip = add(name)
    }
    let reverse = SortDescriptor(\Stop.place, order: .reverse)
    let observer = try ResultsObserver(
      fetchDescriptor: FetchDescriptor<Stop>(sortBy: [SortDescriptor(\.trip?.name), reverse]),
      sectionBy: \.place, modelContext: context)
    #expect(observer.sections?.sectionTitles == ["c", "b", "a"])
    #expect(observer.sections?[1].map { $0.trip?.name } == ["w", "x"])
    #expect(observer.sortBy == [reverse, SortDescriptor(\.trip?.name)])
    context.insert(Stop(place: "bb"))
    #expect(observer.sections?.sectionTitles == ["c", "bb", "b", "a"])
    observer.sortBy = [SortDescriptor(\.trip?.name)]
    #expect(observer.sections?.sectionTitles == ["a", "b", "bb", "c"])
    observer.sortBy = [reverse]
    #expect(observer.sections?.sectionTitles == ["c", "bb", "b", "a"])
  }

  @Test func laterErrorsAreReported() throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Trip.self, configurations: ModelConfiguration(url: folder.store))
    let context = ModelContext(container)
    add("a", context)
    try context.save()
    let observer = try ResultsObserver<Trip, Never>(modelContext: context)
    #expect(observer.fetchError == nil)
    let store = try #require(container.stores.first as? DefaultStore)
    try store.pool.write { try $0.execute("ALTER TABLE ZTRIP RENAME TO ZGONE") }
    observer.sortBy = [SortDescriptor(\.name)]
    #expect(observer.fetchError != nil)
    #expect(observer.results.map(\.name) == ["a"])
    // What is shown is not the answer, so it is not patched.
    add("b", context)
    #expect(observer.fetchError != nil)
    #expect(observer.results.map(\.name) == ["a"])
    try store.pool.write { try $0.execute("ALTER TABLE ZGONE RENAME TO ZTRIP") }
    add("c", context)
    #expect(observer.results.map(\.name) == ["a", "b", "c"])
    #expect(observer.fetchError == nil)
  }

  @Test func observersDoNotRetainTheirActor() async throws {
    weak var gone: Watcher?
    do {
      let watcher = Watcher(modelContainer: container)
      try await watcher.begin()
      add("a")
      try context.save()
      try await eventually("a call on the actor") { await watcher.calls > 0 }
      #expect(await watcher.calls == 1)
      #expect(await watcher.count == 1)
      gone = watcher
    }
    try await eventually("the actor is released") { gone == nil }
  }

  @Test func aReleasedObserverLeaksNothing() async throws {
    weak var gone: ResultsObserver<Trip, Never>?
    weak var goneContext: ModelContext?
    do {
      let own = ModelContext(container)
      let observer = try ResultsObserver<Trip, Never>(modelContext: own)
      add("a", own)
      _ = observer.results
      gone = observer
      goneContext = own
    }
    #expect(gone == nil)
    try await eventually("the context is released") { goneContext == nil }
  }
}

/// Observes on an actor of its own.
@ModelActor
private actor Watcher {
  private var results: ResultsObserver<Travel.Trip, Never>?
  private var history: HistoryObserver?
  private(set) var calls = 0

  func begin() throws {
    let results = try ResultsObserver<Travel.Trip, Never>(modelContext: modelContext)
    self.results = results
    history = try HistoryObserver(modelContainer: modelContainer)
    withObservationTracking {
      _ = results.results.count
    } onChange: { [weak self] in
      self?.assumeIsolated { $0.calls += 1 }
    }
  }

  var count: Int { results?.results.count ?? 0 }
}
