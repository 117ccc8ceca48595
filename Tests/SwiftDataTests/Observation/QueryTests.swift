import Foundation
import Observation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Synchronization
import Testing

private typealias Trip = Travel.Trip

/// What a query follows, and where it finds its container.
@MainActor
struct QueryTests {
  @MainActor
  private final class Model {
    @Query private var trips: [Trip]

    init(notNamed hidden: String = "") {
      _trips = Query(filter: #Predicate { $0.name != hidden }, sort: \.name)
    }

    var names: String { trips.map(\.name).joined() }
    var query: Query<Trip, [Trip]> { _trips }
  }

  private func container(_ names: String...) throws -> ModelContainer {
    let container = try Travel.container()
    let context = ModelContext(container)
    for name in names { context.insert(Trip(name: name, start: .distantPast)) }
    try context.save()
    return container
  }

  // MARK: Following

  @Test func itFollowsItsContext() async throws {
    let container = try container("a", "b")
    let model = withModelContainer(container) { Model(notNamed: "b") }
    let calls = Mutex(0)
    func track() {
      withObservationTracking {
        _ = model.names
      } onChange: {
        calls.withLock { $0 += 1 }
      }
    }
    track()
    #expect(model.names == "a")
    let trip = Trip(name: "c", start: .now)
    model.query.modelContext.insert(trip)
    try await eventually("a call") { calls.withLock { $0 } > 0 }
    #expect(calls.withLock { $0 } == 1)
    #expect(model.names == "ac")
    track()
    trip.name = "b"
    try await eventually("a second call") { calls.withLock { $0 } > 1 }
    #expect(calls.withLock { $0 } == 2)
    #expect(model.names == "a")
  }

  @Test func itFollowsOtherContexts() async throws {
    let container = try container("a")
    let model = withModelContainer(container) { Model() }
    let calls = Mutex(0)
    withObservationTracking {
      _ = model.names
    } onChange: {
      calls.withLock { $0 += 1 }
    }
    try await Task.detached {
      let context = ModelContext(container)
      context.insert(Trip(name: "b", start: .now))
      try context.save()
    }.value
    try await eventually("a call") { calls.withLock { $0 } > 0 }
    #expect(calls.withLock { $0 } == 1)
    #expect(model.names == "ab")
    #expect(container.mainContext == model.query.modelContext)
  }

  @Test func itFetchesWhenItIsReadAndNotAgain() throws {
    let statements = StatementRecorder()
    let container = try statements.container([Trip.self, Travel.Stop.self])
    func fetches(_ body: () -> Void) -> Int {
      statements.during(body).filter { $0.sql.contains(#"ORDER BY"#) }.count
    }
    var model: Model?
    #expect(fetches { model = withModelContainer(container) { Model() } } == 0)
    #expect(fetches { _ = model?.names } == 1)
    #expect(fetches { _ = model?.names } == 0)
    let copy = model?.query
    #expect(fetches { _ = copy?.wrappedValue } == 0)
  }

  // MARK: Scopes

  @Test func theScopeInWhichAQueryIsMadeCounts() throws {
    let (one, two) = (try container("a"), try container("b", "c"))
    let model = withModelContainer(one) { Model() }
    withModelContainer(two) { #expect(model.names == "a") }
    let inner = withModelContainer(one) { withModelContainer(two) { Model() } }
    #expect(inner.names == "bc")
    #expect(inner.query.modelContext == two.mainContext)
  }

  @Test func theScopeOfTheFirstReaderCounts() throws {
    let (one, two) = (try container("a"), try container("b", "c"))
    let model = Model()
    withModelContainer(two) { #expect(model.names == "bc") }
    #expect(model.names == "bc")
    withModelContainer(one) { #expect(model.names == "bc") }
  }

  @Test func anUpdateTakesItsScope() async throws {
    let (one, two) = (try container("a"), try container("b", "c"))
    let model = withModelContainer(one) { Model() }
    nonisolated(unsafe) var calls = 0
    withObservationTracking {
      _ = model.names
    } onChange: {
      calls += 1
    }
    withModelContainer(two) { model.query.update() }
    #expect(calls == 1)
    #expect(model.names == "bc")
    model.query.update()
    #expect(model.names == "bc")
    let query = model.query
    await Task.detached { withModelContainer(one) { query.update() } }.value
    try await eventually("the names of the other container") { model.names == "a" }
  }

  @Test func scopesMayWait() async throws {
    let container = try container("a")
    let model = await withModelContainer(container) {
      await Task.yield()
      return Model()
    }
    #expect(model.names == "a")
  }

  // No suspension here: other tests are not to see the container.
  @Test func withoutAContainerAQueryIsEmptyAndHasAnError() throws {
    let before = ModelContainer.installed
    defer { ModelContainer.installed = before }
    ModelContainer.installed = nil
    let model = Model()
    #expect(model.names == "")
    let error = try #require(model.query.fetchError as? SwiftDataError)
    #expect(error == .missingModelContext)
    #expect(error.description.contains("ModelContainer.installed"))
    #expect(model.query.sections.isEmpty)
    let context = model.query.modelContext
    context.insert(Trip(name: "nowhere", start: .now))
    #expect(throws: SwiftDataError.unknownSchema) { try context.save() }
    context.rollback()
    model.query.update()

    nonisolated(unsafe) var calls = 0
    withObservationTracking {
      _ = model.names
    } onChange: {
      calls += 1
    }
    ModelContainer.installed = try container("a")
    #expect(calls == 1)
    #expect(model.names == "a")
    #expect(model.query.fetchError == nil)
    withObservationTracking {
      _ = model.names
    } onChange: {
      calls += 1
    }
    ModelContainer.installed = try container("b")
    #expect(calls == 2)
    #expect(model.names == "b")
    let scoped = withModelContainer(try container("c")) { Model() }
    #expect(scoped.names == "c")
  }

  // MARK: Errors

  @Test func aClassThatTheContainerLacksIsAnError() throws {
    let container = try ModelContainer(
      for: Travel.Ticket.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let model = withModelContainer(container) { Model() }
    #expect(model.names == "")
    #expect(model.query.fetchError as? SwiftDataError == .unknownSchema)
  }

  @Test func sectionsOfAComputedPropertyAreAnError() throws {
    let query = withModelContainer(try container("a")) {
      Query<Trip, SectionedResults<Trip, String>>(sectionBy: \.computedTitle)
    }
    #expect(query.wrappedValue.isEmpty)
    #expect(query.fetchError as? SwiftDataError == .unsupportedKeyPath)
  }

  @Test func aFailedFetchKeepsTheResults() throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Trip.self, configurations: ModelConfiguration(url: folder.store))
    container.mainContext.autosaveEnabled = false
    let model = withModelContainer(container) { Model() }
    container.mainContext.insert(Trip(name: "a", start: .now))
    try container.mainContext.save()
    #expect(model.names == "a")
    let store = try #require(container.stores.first as? DefaultStore)
    try store.pool.write { try $0.execute("ALTER TABLE ZTRIP RENAME TO ZGONE") }
    // Too many for a patch.
    for _ in 0..<300 { container.mainContext.insert(Trip(name: "d", start: .now)) }
    #expect(model.names == "a")
    container.mainContext.rollback()
    #expect(model.names == "a")
    container.mainContext.insert(Trip(name: "b", start: .now))
    #expect(model.names == "a")
    #expect(model.query.fetchError != nil)
    try store.pool.write { try $0.execute("ALTER TABLE ZGONE RENAME TO ZTRIP") }
    container.mainContext.insert(Trip(name: "c", start: .now))
    #expect(model.names == "abc")
    #expect(model.query.fetchError == nil)
  }

  // MARK: Life

  @Test func theLastCopyMayBeReleasedAnywhere() async throws {
    weak var gone: ModelContainer?
    weak var goneContext: ModelContext?
    do {
      let container = try container("a")
      gone = container
      goneContext = container.mainContext
      let query = withModelContainer(container) { Query<Trip, [Trip]>(sort: \.name) }
      #expect(query.wrappedValue.count == 1)
      await Task.detached { [query] in _ = query }.value
    }
    try await eventually("container and context are released") {
      gone == nil && goneContext == nil
    }
  }
}

extension Travel.Trip {
  fileprivate var computedTitle: String { "title" }
}
