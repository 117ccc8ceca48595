import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// A missing store that a process with other models creates while this one opens it.
@Suite struct CreationRaceTests {
  private let folder: TemporaryFolder
  private let other: TemporaryFolder

  init() throws { (folder, other) = (try TemporaryFolder(), try TemporaryFolder()) }

  /// Begins to create a store with the content of another one, opens it meanwhile, and commits.
  private func open(
    _ version: any VersionedSchema.Type, while content: URL, _ plan: (any SchemaMigrationPlan.Type)?
  ) async throws -> ModelContext {
    let creator = try Connection(path: folder.store.path)
    try creator.execute("PRAGMA journal_mode = WAL")
    try creator.execute("ATTACH '\(content.path)' AS made")
    let definitions = try SQLiteFile.texts(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type DESC",
      in: content)
    let tables = try SQLiteFile.texts(
      "SELECT name FROM sqlite_schema WHERE type = 'table'", in: content)
    try creator.execute("BEGIN IMMEDIATE")
    for definition in definitions { try creator.execute(definition) }
    for table in tables {
      try creator.execute("INSERT INTO main.\"\(table)\" SELECT * FROM made.\"\(table)\"")
    }
    let url = folder.store
    async let opened = onThread { try Journey.open(version, at: url, plan: plan).container }
    try await Task.sleep(for: .seconds(0.5))
    try creator.execute("COMMIT")
    try creator.execute("DETACH made")
    return ModelContext(try await opened)
  }

  @Test func anOlderStoreIsMigrated() async throws {
    try Journey.make(other.store)
    let context = try await open(Journey.V2.self, while: other.store, Journey.Plan.self)
    #expect(try context.fetchCount(FetchDescriptor<Journey.V2.Trip>()) == 3)
    #expect(try context.fetchCount(FetchDescriptor<Journey.V2.Guide>()) == 1)
  }

  @Test func anOlderStoreIsMigratedWithoutAPlan() async throws {
    try Journey.make(other.store)
    let context = try await open(Journey.V2.self, while: other.store, nil)
    #expect(try context.fetchCount(FetchDescriptor<Journey.V2.Trip>()) == 3)
  }

  @Test func aNewerStoreIsRefusedAsSuch() async throws {
    _ = try Journey.open(Journey.V3.self, at: other.store)
    await #expect(throws: SwiftDataError.backwardMigration) {
      _ = try await open(Journey.V2.self, while: other.store, Journey.Plan.self)
    }
  }

  @Test func aStoreOfTheSameVersionIsOpened() async throws {
    _ = try Journey.open(Journey.V2.self, at: other.store)
    let context = try await open(Journey.V2.self, while: other.store, Journey.Plan.self)
    #expect(try context.fetchCount(FetchDescriptor<Journey.V2.Trip>()) == 0)
  }

  enum First {
    @Model final class Trip {
      var name = ""
      var first: Int?
      init() {}
    }
  }

  enum Second {
    @Model final class Trip {
      var name = ""
      var second: Int?
      init() {}
    }
  }

  @Test func otherModelsMigrateAStoreBackWhileItIsOpened() async throws {
    let url = folder.store
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask {
          try await onThread {
            let models: any PersistentModel.Type =
              number.isMultiple(of: 2) ? First.Trip.self : Second.Trip.self
            for _ in 0..<40 {
              _ = try ModelContainer(
                for: Schema([models]), configurations: [ModelConfiguration(url: url)])
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
