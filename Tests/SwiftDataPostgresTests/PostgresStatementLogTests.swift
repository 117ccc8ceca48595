import Foundation
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import SwiftDataTesting
import Synchronization
import Testing

/// The statement log of a store in PostgreSQL, and the expectations that use it.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct PostgresStatementLogTests {
  /// What a log has received.
  private final class Events: Sendable {
    private let all = Mutex<[StatementLog.Event]>([])

    func log(includesValues: Bool = false) -> StatementLog {
      StatementLog(includesValues: includesValues) { event in self.all.withLock { $0.append(event) }
      }
    }

    var events: [StatementLog.Event] { all.withLock { $0 } }

    var statements: [StatementLog.Statement] {
      events.compactMap { if case .statement(let statement) = $0 { statement } else { nil } }
    }

    func clear() { all.withLock { $0 = [] } }
  }

  private let url: String

  init() throws { url = try PostgresServer.shared.addressOfNewSchema() }

  private func container(
    _ log: StatementLog?, _ change: (inout PostgresConfiguration) -> Void = { _ in }
  ) throws -> ModelContainer {
    var configuration = try PostgresConfiguration(url: url)
    configuration.statementLog = log
    change(&configuration)
    return try ModelContainer(for: Place.self, City.self, configurations: configuration)
  }

  @Test func eachStatementIsLoggedOnceWithTimeAndRows() throws {
    let events = Events()
    let context = ModelContext(try container(events.log()))
    for index in 0..<3 { context.insert(Place("\(index)")) }
    events.clear()
    try context.save()
    let saved = events.statements.map(\.sql)
    #expect(saved.filter { $0.hasPrefix("INSERT INTO \"ZPLACE\"") }.count == 3, "\(saved)")
    #expect(saved.first?.hasPrefix("BEGIN ISOLATION LEVEL SERIALIZABLE") == true, "\(saved)")
    #expect(saved.last == "COMMIT", "\(saved)")
    events.clear()
    let places = try ModelContext(context.container).fetch(FetchDescriptor<Place>())
    #expect(places.count == 3)
    #expect(events.statements.map(\.rowCount) == [3])
    #expect(events.statements.allSatisfy { $0.duration > .zero && $0.sqlWithValues == nil })
  }

  /// Another writer changes the row after the save has read it, and before it writes.
  @Test func aSaveThatIsDisturbedIsAnEvent() throws {
    let events = Events()
    let isArmed = Mutex(false)
    let others = try container(nil)
    let first = ModelContext(others)
    first.insert(Place("a"))
    try first.save()
    let log = events.log()
    let context = ModelContext(
      try container(
        StatementLog { event in
          log.handle(event)
          guard case .statement(let statement) = event, statement.sql.hasPrefix("SELECT"),
            isArmed.withLock({ armed in
              defer { armed = false }
              return armed
            })
          else { return }
          do {
            let other = ModelContext(others)
            try other.fetch(FetchDescriptor<Place>()).first?.visits = 5
            try other.save()
          } catch {
            Issue.record(error)
          }
        }))
    context.conflictPolicy = .refuse
    let place = try #require(try context.fetch(FetchDescriptor<Place>()).first)
    place.visits = 7
    isArmed.withLock { $0 = true }
    #expect(throws: SwiftDataError.saveConflict) { try context.save() }
    let repetitions = events.events.compactMap {
      if case .repetition(let repetition) = $0 { repetition } else { nil }
    }
    #expect(repetitions.map(\.failureCount) == [1])
    #expect(repetitions.map(\.isExclusive) == [false])
  }

  @Test func manyRowsAreOneStatement() throws {
    let events = Events()
    let context = ModelContext(try container(events.log()))
    for index in 0..<500 { context.insert(Place("\(index)")) }
    events.clear()
    try context.save()
    let copies = events.statements.map(\.sql).filter { $0.hasPrefix("COPY \"ZPLACE\"") }
    #expect(copies.count == 1)
    #expect(!events.statements.contains { $0.sql.hasPrefix("INSERT INTO \"ZPLACE\"") })
  }

  @Test func valuesAreHiddenUnlessTheyAreRequested() throws {
    let (hidden, shown) = (Events(), Events())
    for (events, includesValues) in [(hidden, false), (shown, true)] {
      let context = ModelContext(try container(events.log(includesValues: includesValues)))
      let place = Place("it's secret", visits: 7)
      place.photo = Data([0xCA, 0xFE])
      context.insert(place)
      try context.save()
      let name = "it's secret"
      let found = FetchDescriptor<Place>(predicate: #Predicate { $0.name == name && $0.visits > 3 })
      #expect(try context.fetchCount(found) >= 1)
      // Enough rows for a batch.
      for index in 0..<20 { context.insert(Place("secret \(index)")) }
      try context.save()
    }
    let text = hidden.events.map { "\($0)" }.joined()
    #expect(!text.contains("secret") && !text.contains("cafe"))
    #expect(hidden.statements.allSatisfy { $0.sqlWithValues == nil })
    let inserted = try #require(
      shown.statements.compactMap(\.sqlWithValues).first { $0.contains("it''s secret") })
    #expect(inserted.contains("'\\xcafe'") && !inserted.contains("$"), "\(inserted)")
    let count = shown.statements.compactMap(\.sqlWithValues).first {
      $0.contains("count(*) FROM \"ZPLACE\"")
    }
    #expect(count?.contains("'it''s secret'") == true, "\(count ?? "")")
    #expect(shown.statements.contains { $0.sqlWithValues?.contains("'secret 19'") == true })
    #expect(shown.statements.allSatisfy { !$0.sql.contains("secret") })
  }

  @Test func noPasswordIsLogged() throws {
    let events = Events()
    // The server of the tests trusts its socket, so that any password will do.
    let context = ModelContext(
      try ModelContainer(
        for: Place.self, City.self,
        configurations: {
          var configuration = try PostgresConfiguration(url: url + " password=hunter2")
          configuration.statementLog = events.log(includesValues: true)
          return configuration
        }()))
    context.insert(Place("a"))
    try context.save()
    #expect(!events.events.isEmpty)
    #expect(!events.events.map { "\($0)" }.joined().contains("hunter2"))
  }

  @Test func aStatementThatFailsIsLogged() throws {
    let events = Events()
    let context = ModelContext(
      try container(events.log()) { $0.statementTimeout = .milliseconds(300) })
    let place = Place("a")
    context.insert(place)
    try context.save()
    let other = try StoredRows(url)
    try other.connection.execute("BEGIN; UPDATE \"ZPLACE\" SET \"ZVISITS\" = 9")
    events.clear()
    place.visits = 1
    #expect(throws: SwiftDataError.storeWriteFailure) { try context.save() }
    try other.connection.execute("ROLLBACK")
    let slow = events.statements.filter { $0.sql.hasPrefix("UPDATE \"ZPLACE\"") }
    #expect(slow.contains { $0.duration >= .milliseconds(250) }, "\(events.statements)")
    let failed = events.statements.filter { $0.failure != nil }
    #expect(failed.map(\.failure) == ["55P03"] && failed[0].sql == slow[0].sql, "\(failed)")
  }

  /// The last of three statements of a save waits for another transaction.
  @Test func theStatementOfASaveThatWaitsIsTheSlowOne() throws {
    let events = Events()
    let context = ModelContext(try container(events.log()))
    let place = Place("a")
    context.insert(place)
    context.insert(City("a"))
    try context.save()
    let (locked, group) = (DispatchSemaphore(value: 0), DispatchGroup())
    let url = url
    DispatchQueue.global().async(group: group) {
      do {
        let other = try StoredRows(url).connection
        try other.execute("BEGIN; LOCK TABLE \"ZCITY\" IN EXCLUSIVE MODE")
        locked.signal()
        try other.execute("SELECT pg_sleep(0.5)")
        try other.execute("COMMIT")
      } catch {
        Issue.record(error)
        locked.signal()
      }
    }
    locked.wait()
    events.clear()
    place.visits = 1
    context.insert(City("b"))
    try context.save()
    group.wait()
    let slow = events.statements.filter { $0.duration >= .milliseconds(250) }.map(\.sql)
    #expect(slow.count == 1 && slow[0].hasPrefix("INSERT INTO \"ZCITY\""), "\(events.events)")
  }

  @Test func waitsForConnectionsAreLogged() throws {
    let events = Events()
    let container = try container(events.log()) { $0.connections = 2 }
    let context = ModelContext(container)
    context.insert(Place("a"))
    try context.save()
    let holders = (0..<2).map { _ in DispatchSemaphore(value: 0) }
    let (begun, group) = (DispatchSemaphore(value: 0), DispatchGroup())
    for holder in holders {
      DispatchQueue.global().async(group: group) {
        try? ModelContext(container).snapshot {
          begun.signal()
          holder.wait()
        }
      }
      begun.wait()
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) {
      for holder in holders { holder.signal() }
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Place>()) == 1)
    group.wait()
    let waits = events.events.compactMap { event in
      if case .wait(let wait) = event { wait } else { nil }
    }
    #expect(
      waits.contains { $0.reason == .reader && $0.duration > .milliseconds(20) && !$0.isTimedOut })
  }

  @Test func aPlanIsMadeWithoutValuesAndNotLogged() throws {
    let events = Events()
    let container = try container(events.log())
    let name = "a"
    _ = try ModelContext(container).fetchCount(
      FetchDescriptor<Place>(predicate: #Predicate { $0.name == name }))
    let sql = try #require(events.statements.last?.sql)
    let store = try #require(container.stores.first as? PostgresStore)
    events.clear()
    let plan = try store.queryPlan(of: sql)
    #expect(plan.contains { $0.contains("Scan") && $0.contains("ZPLACE") }, "\(plan)")
    #expect(plan.contains { $0.contains("$1") }, "\(plan)")
    let deletion = try store.queryPlan(of: "DELETE FROM \"ZPLACE\" WHERE \"ZNAME\" = $1")
    #expect(deletion.first?.contains("Delete") == true, "\(deletion)")
    #expect(events.events.isEmpty)
    #expect(throws: (any Error).self) { try store.queryPlan(of: "SELECT nonsense") }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Place>()) == 0)
  }

  @Test func configurationsAreEqualWithDifferentLogs() throws {
    var one = try PostgresConfiguration(url: url)
    let other = one
    one.statementLog = Events().log()
    #expect(one == other && one.hashValue == other.hashValue)
    one.connections = 3
    #expect(one != other)
  }

  // MARK: Expectations

  private func recorded() throws -> ModelContainer {
    let configuration = StatementRecorder().recording(try PostgresConfiguration(url: url))
    let container = try ModelContainer(for: Place.self, City.self, configurations: configuration)
    let context = ModelContext(container)
    for number in 0..<5 {
      let city = City("\(number)")
      context.insert(city)
      city.places = [Place("a"), Place("b")]
    }
    try context.save()
    return container
  }

  @Test func statementsAreExpected() throws {
    let container = try recorded()
    let context = ModelContext(container)
    let cities = try expectStatements(1, in: container) {
      try context.fetch(FetchDescriptor<City>())
    }
    #expect(cities.count == 5)
    try expectStatements(1, of: .writes, in: container) {
      cities[0].name = "other"
      try context.save()
    }
    let failure = #expect(throws: ExpectationFailure.self) {
      try expectStatements(2, in: container) { try context.fetchCount(FetchDescriptor<City>()) }
    }
    #expect(failure?.details.count == 1)
    try expectNoWorkInMemory(in: container) { _ = try context.fetch(FetchDescriptor<City>()) }
  }

  @Test func repeatedFaultsAreNamed() throws {
    let container = try recorded()
    let context = ModelContext(container)
    let failure = #expect(throws: ExpectationFailure.self) {
      try expectNoRepeatedFaults(in: container) {
        for city in try context.fetch(FetchDescriptor<City>()) { _ = city.places.count }
      }
    }
    #expect(
      failure?.details == [
        "City.places: 5 times. Fetch with relationshipKeyPathsForPrefetching = [\\City.places]"
      ])
    var prefetching = FetchDescriptor<City>()
    prefetching.relationshipKeyPathsForPrefetching = [\.places]
    let other = ModelContext(container)
    try expectNoRepeatedFaults(in: container) {
      for city in try other.fetch(prefetching) { _ = city.places.count }
    }
  }

  @Test func failuresAreNotInjected() throws {
    let container = try recorded()
    let failure = #expect(throws: ExpectationFailure.self) {
      try container.failing(.save(1), with: .diskFull) {}
    }
    #expect(failure?.description.contains("default stores only") == true)
  }
}
