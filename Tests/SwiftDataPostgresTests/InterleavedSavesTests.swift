import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

/// Programs with two containers, where the order of the steps is given.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct InterleavedSavesTests {
  let url: String
  let (first, second): (ModelContainer, ModelContainer)

  init() throws {
    url = try PostgresServer.shared.addressOfNewSchema()
    first = try Self.container(url)
    second = try Self.container(url)
  }

  private static func container(_ url: String) throws -> ModelContainer {
    try ModelContainer(
      for: Place.self, City.self, configurations: PostgresConfiguration(url: url))
  }

  /// Lets another save run at a step of the save.
  private func save(
    _ context: ModelContext, at wanted: SaveStep,
    while other: @escaping @Sendable () throws -> Void
  ) throws {
    let runs = Once()
    try SaveStep.$reached.withValue({ step in
      guard step == wanted, runs.first() else { return }
      let done = DispatchSemaphore(value: 0)
      Thread {
        try? other()
        done.signal()
      }.start()
      // The other one waits for a row of the first one in some cases.
      _ = done.wait(timeout: .now() + 1)
    }) {
      try context.save()
    }
    Thread.sleep(forTimeInterval: 0.3)
  }

  @Test func anotherSaveCommitsWhileOneIsOpen() throws {
    let context = ModelContext(first)
    context.insert(Place("first"))
    let second = second
    try save(context, at: .locked) {
      let context = ModelContext(second)
      context.insert(Place("second"))
      try context.save()
      // Still open.
      #expect(
        try ModelContext(second).fetch(FetchDescriptor<Place>()).map(\.name) == ["second"])
    }
    #expect(try ModelContext(first).fetchCount(FetchDescriptor<Place>()) == 2)
  }

  @Test(arguments: [SaveStep.locked, .written])
  func twoNewModelsWithOneUniqueValueBecomeOneRow(_ step: SaveStep) throws {
    let context = ModelContext(first)
    context.insert(City("Bern"))
    let second = second
    try save(context, at: step) {
      let context = ModelContext(second)
      context.insert(City("Bern"))
      try context.save()
    }
    #expect(try ModelContext(first).fetch(FetchDescriptor<City>()).map(\.name) == ["Bern"])
  }

  @Test(arguments: [SaveStep.locked, .written])
  func changesOfDifferentPropertiesAreBothKept(_ step: SaveStep) throws {
    let context = ModelContext(first)
    let place = Place("a")
    context.insert(place)
    try context.save()
    place.name = "b"
    let second = second
    try save(context, at: step) {
      let context = ModelContext(second)
      try context.fetch(FetchDescriptor<Place>()).first?.visits = 5
      try context.save()
    }
    let found = try #require(try ModelContext(second).fetch(FetchDescriptor<Place>()).first)
    #expect(found.name == "b" && found.visits == 5)
  }

  @Test(arguments: [SaveStep.locked, .written])
  func aModelAddedToADeletedOneIsDeletedOrLeftAlone(_ step: SaveStep) throws {
    let context = ModelContext(first)
    let city = City("Bern")
    context.insert(city)
    try context.save()
    context.delete(city)
    let second = second
    try save(context, at: step) {
      let context = ModelContext(second)
      let city = try context.fetch(FetchDescriptor<City>()).first
      context.insert(Place("a", city: city))
      try context.save()
    }
    let rows = try StoredRows(url)
    #expect(
      try rows.integer(
        """
        SELECT count(*) FROM "ZPLACE" WHERE "ZCITY" IS NOT NULL \
        AND "ZCITY" NOT IN (SELECT "Z_PK" FROM "ZCITY")
        """) == 0)
    #expect(try rows.integer("SELECT count(*) FROM \"ZCITY\"") == 0)
  }

  /// Another save changes the same row before each of the first attempts. Then the save excludes it.
  @Test func aSaveThatIsAlwaysDisturbedIsStoredInTheEnd() throws {
    let context = ModelContext(first)
    let place = Place("a")
    context.insert(place)
    try context.save()
    place.name = "b"
    let second = second
    let disturber = Disturber { number in
      let context = ModelContext(second)
      try context.fetch(FetchDescriptor<Place>()).first?.visits = number
      try context.save()
    }
    try PostgresConnection.$defersBegin.withValue(false) {
      try SaveStep.$reached.withValue({ if $0 == .locked { disturber.run(times: 6) } }) {
        try context.save()
      }
    }
    #expect(disturber.count == 6)
    let rows = try StoredRows(url)
    #expect(try rows.integer("SELECT \"ZVISITS\" FROM \"ZPLACE\" WHERE \"ZNAME\" = 'b'") == 6)
    #expect(try rows.integer("SELECT \"Z_OPT\" FROM \"ZPLACE\"") == 8)
    #expect(try rows.integer("SELECT count(*) FROM \"ATRANSACTION\"") == 8)
    #expect(!context.hasChanges)
  }

  @Test func aContextThatRefusesConflictsSeesThoseOfADisturbingSave() throws {
    let context = ModelContext(first)
    context.conflictPolicy = .refuse
    let place = Place("a")
    context.insert(place)
    try context.save()
    place.visits += 1
    let second = second
    let error = #expect(throws: SwiftDataError.self) {
      try save(context, at: .locked) {
        let context = ModelContext(second)
        try context.fetch(FetchDescriptor<Place>()).first?.visits = 5
        try context.save()
      }
    }
    #expect(error == .saveConflict)
    #expect(error?.property == "visits")
    context.rollback()
    try context.fetch(FetchDescriptor<Place>()).first?.visits += 1
    try context.save()
    #expect(try StoredRows(url).integer("SELECT \"ZVISITS\" FROM \"ZPLACE\"") == 6)
  }

  @Test func keysThatAnotherProgramUsedAreSkipped() throws {
    let context = ModelContext(first)
    context.insert(Place("first"))
    try context.save()
    let rows = try StoredRows(url)
    // More than the block of keys that the store has reserved.
    try rows.connection.execute(
      """
      INSERT INTO "ZPLACE" ("Z_PK", "Z_ENT", "Z_OPT", "ZNAME", "ZVISITS", "ZISOPEN", "ZFOUNDED", "ZCODE", \
      "ZPRICE") SELECT g, "Z_ENT", 1, 'sql', 0, "ZISOPEN", "ZFOUNDED", "ZCODE", "ZPRICE" \
      FROM "ZPLACE", generate_series(2, 300) AS g
      """)
    context.insert(Place("second"))
    try context.save()
    for number in 0..<500 { context.insert(Place("\(number)")) }
    try context.save()
    #expect(try rows.integer("SELECT count(*) FROM \"ZPLACE\"") == 801)
    let other = ModelContext(second)
    other.insert(Place("other"))
    try other.save()
    #expect(try rows.integer("SELECT count(*) FROM \"ZPLACE\"") == 802)
  }

  @Test func transactionsOfContextsExcludeOtherSaves() async throws {
    let context = ModelContext(first)
    context.insert(Place("a"))
    try context.save()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<6 {
        let container = number % 2 == 0 ? first : second
        group.addTask {
          for _ in 0..<10 {
            let context = ModelContext(container)
            try context.transaction {
              try context.fetch(FetchDescriptor<Place>()).first?.visits += 1
            }
            context.insert(City("\(number)"))
            try context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    let found = try ModelContext(second).fetch(FetchDescriptor<Place>())
    #expect(found.map(\.visits) == [60])
    #expect(try ModelContext(second).fetchCount(FetchDescriptor<City>()) == 6)
  }

  @Test func textsThatAnotherProcessRemovedAreStoredAgain() throws {
    let context = ModelContext(first)
    context.author = "ann"
    for number in 0..<3 {
      context.insert(Place("\(number)"))
      try context.save()
    }
    let rows = try StoredRows(url)
    try rows.connection.execute("DELETE FROM \"ACHANGE\"; DELETE FROM \"ATRANSACTION\"")
    try rows.connection.execute("DELETE FROM \"ATRANSACTIONSTRING\"")
    context.insert(Place("last"))
    try context.save()
    #expect(
      try rows.integer(
        """
        SELECT count(*) FROM "ATRANSACTION" AS t JOIN "ATRANSACTIONSTRING" AS author \
        ON author."Z_PK" = t."ZAUTHORTS" JOIN "ATRANSACTIONSTRING" AS process \
        ON process."Z_PK" = t."ZPROCESSIDTS" WHERE author."ZNAME" = 'ann'
        """) == 1)
  }

  @Test func historyNamesTheChangesOfEachSave() throws {
    let context = ModelContext(first)
    context.author = "ann"
    let (city, place) = (City("Bern"), Place("a"))
    context.insert(city)
    context.insert(place)
    try context.save()
    place.visits = 3
    try context.save()
    context.delete(city)
    try context.save()
    context.author = "bob"
    try context.delete(model: Place.self)
    let rows = try StoredRows(url)
    let changes = try rows.integers(
      "SELECT \"ZCHANGETYPE\" FROM \(HistorySQL.changes) ORDER BY \"ZTRANSACTIONID\", \"Z_PK\"")
    #expect(changes == [0, 0, 1, 2, 2])
    #expect(try rows.integer("SELECT count(DISTINCT \"ZAUTHORTS\") FROM \"ATRANSACTION\"") == 2)
    #expect(try rows.integers("SELECT \"Z_PK\" FROM \"ATRANSACTION\" ORDER BY 1") == [1, 2, 3, 4])
  }
}

private final class Once: @unchecked Sendable {
  private let lock = NSLock()
  private var isUsed = false

  func first() -> Bool {
    lock.withLock {
      defer { isUsed = true }
      return !isUsed
    }
  }
}

/// Runs work on a thread of its own, a number of times, and waits for it. There the work does not see the
/// steps of the save that it disturbs.
private final class Disturber: @unchecked Sendable {
  private let work: @Sendable (Int) throws -> Void
  private(set) var count = 0

  init(_ work: @escaping @Sendable (Int) throws -> Void) { self.work = work }

  func run(times: Int) {
    guard count < times else { return }
    count += 1
    let done = DispatchSemaphore(value: 0)
    Thread { [work, count] in
      try? work(count)
      done.signal()
    }.start()
    done.wait()
  }
}
