import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Synchronization
import Testing

/// The description of a file is read completely once for each state of its tables, and never used
/// after another process has changed it.
@Suite struct StoredSchemaReadTests {
  private let folder: TemporaryFolder
  private var url: URL { folder.store }

  init() throws {
    folder = try TemporaryFolder()
    try Journey.make(folder.store)
  }

  /// The number of complete reads during `body`.
  private func reads(during body: () throws -> Void) rethrows -> Int {
    let count = Mutex(0)
    let note: @Sendable () -> Void = { count.withLock { $0 += 1 } }
    try StoredSchema.$willReadAll.withValue(note, operation: body)
    return count.withLock { $0 }
  }

  private enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Journey.V1.self, Journey.V2.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: Journey.V1.self, toVersion: Journey.V2.self,
        willMigrate: { context in
          for trip in try context.fetch(FetchDescriptor<Journey.V1.Trip>()) { trip.name += "!" }
          context.insert(Journey.V1.Trip(name: "Bari"))
          try context.save()
        },
        didMigrate: { context in
          for trip in try context.fetch(FetchDescriptor<Journey.V2.Trip>()) { trip.days = 9 }
          try context.save()
        })
    ]
  }

  // MARK: Counts

  @Test func anOpeningReadsOnce() throws {
    for _ in 0..<2 {
      #expect(try reads { _ = try Journey.open(Journey.V1.self, at: url) } == 1)
    }
    let reading = ModelConfiguration(url: url, allowsSave: false)
    let count = try reads {
      _ = try ModelContainer(
        for: Schema(versionedSchema: Journey.V1.self), configurations: reading)
    }
    #expect(count == 1)
  }

  @Test func aNewFileIsReadOnceItHasTables() throws {
    let new = folder.url.appending(path: "new.store")
    #expect(try reads { _ = try Journey.open(Journey.V1.self, at: new) } == 1)
  }

  /// Once before the tables change, and once after.
  @Test func aCustomStageReadsTwice() throws {
    var context: ModelContext?
    let count = try reads {
      context = try Journey.open(Journey.V2.self, at: url, plan: Plan.self)
    }
    #expect(count == 2)
    let trips = try #require(try context?.fetch(FetchDescriptor<Journey.V2.Trip>()))
    #expect(trips.map(\.title).sorted() == ["Bari", "Oslo!", "Rome!", "Rome!"])
    #expect(trips.allSatisfy { $0.days == 9 })
    #expect(try reads { _ = try Journey.open(Journey.V2.self, at: url, plan: Plan.self) } == 1)
  }

  // MARK: What others change

  private func description(
    since earlier: StoredSchema? = nil
  ) throws -> (stored: StoredSchema, isComplete: Bool) {
    let connection = try Connection(path: url.path)
    var stored: StoredSchema?
    let count = try reads { stored = try StoredSchema.read(connection, since: earlier) }
    return (try #require(stored), count > 0)
  }

  @Test func anUnchangedFileKeepsItsDescription() throws {
    let first = try description()
    let second = try description(since: first.stored)
    #expect(first.isComplete && !second.isComplete && second.stored == first.stored)
  }

  /// Saves of others assign keys without changing the tables.
  @Test func lastKeysAreAlwaysRead() throws {
    let earlier = try description().stored
    let context = try Journey.open(Journey.V1.self, at: url)
    context.insert(Journey.V1.Trip(name: "Bari"))
    try context.save()
    let later = try description(since: earlier)
    #expect(!later.isComplete)
    let fresh = try description().stored
    #expect(later.stored == fresh && later.stored != earlier)
    let key = later.stored.entitiesByName["Trip"]?.lastKey
    #expect(key == earlier.entitiesByName["Trip"].map { $0.lastKey + 1 })
  }

  @Test(arguments: [
    "CREATE TABLE notes (text)", "CREATE INDEX mine ON ZTRIP (ZNAME)",
    "ALTER TABLE ZTRIP RENAME COLUMN ZNAME TO ZTITLE",
    "UPDATE Z_METADATA SET Z_PLIST = x'00'", "UPDATE Z_METADATA SET Z_UUID = 'another'",
  ])
  func aChangedFileIsReadAgain(_ sql: String) throws {
    let earlier = try description().stored
    try SQLiteFile.execute(sql, in: url)
    let later = try description(since: earlier)
    #expect(later.isComplete)
    let fresh = try description().stored
    #expect(later.stored == fresh && later.stored != earlier)
  }

  /// Another container migrates the file after it was checked, and before it is opened.
  @Test func aMigrationDuringTheOpeningIsSeen() throws {
    try expectRefusal(migratingAfter: "")
  }

  /// Another container migrates a file without history after it was read, and before the history is
  /// added.
  @Test func aMigrationBeforeTheHistoryIsAddedIsSeen() throws {
    for table in HistoryTables.Entity.allCases.map(\.table) {
      try SQLiteFile.execute("DROP TABLE \(table)", in: url)
    }
    try SQLiteFile.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT > 16000", in: url)
    try expectRefusal(migratingAfter: "FROM Z_PRIMARYKEY")
  }

  /// Opens the file with its models, while another container migrates it after the first statement
  /// that contains a text. The file is looked at again, and is newer then.
  private func expectRefusal(migratingAfter text: String) throws {
    let url = folder.store
    let migration = Interruption(containing: text) {
      _ = try Journey.open(Journey.V2.self, at: url, plan: Plan.self)
    }
    var configuration = ModelConfiguration(url: url)
    configuration.statementLog = migration.log
    #expect(throws: SwiftDataError.backwardMigration) {
      try migration.during {
        try ModelContainer(
          for: Schema(versionedSchema: Journey.V1.self), configurations: configuration)
      }
    }
    #expect(migration.hasRun)
    let context = try Journey.open(Journey.V2.self, at: url, plan: Plan.self)
    #expect(try context.fetchCount(FetchDescriptor<Journey.V2.Trip>()) == 4)
  }
}
