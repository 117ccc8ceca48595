import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// Migrations in other processes, which find the address of the store in the environment.
@Suite(.enabled(if: PostgresServer.isAvailable), .serialized)
struct MigrationProcessTests {
  static let variable = "OPENSWIFTDATA_MIGRATED_STORE"

  static var store: MigratedServerStore {
    MigratedServerStore(url: ProcessInfo.processInfo.environment[variable] ?? "")
  }

  let store: MigratedServerStore

  init() throws {
    store = try MigratedServerStore()
    setenv(MigrationProcessTests.variable, store.url, 1)
  }

  @Test func aKilledProcessLeavesTheOldVersion() async throws {
    try store.fillV1()
    await #expect(processExitsWith: .signal(SIGKILL)) {
      _ = try MigrationProcessTests.store.open(Library.V2.self, plan: KillingPlan.self)
    }
    // The server notices the end of the connection, and rolls back.
    let context = try store.open(Library.V1.self)
    let books = try context.fetch(FetchDescriptor<Library.V1.Book>())
    #expect(books.map(\.pages).sorted() == [0, 1, 2, 3, 4])
    #expect(try context.fetchCount(FetchDescriptor<Library.V1.Note>()) == 1)
    let migrated = try store.open(Library.V2.self, plan: CountingPlan.self)
    #expect(try migrated.fetchCount(FetchDescriptor<Library.V2.Archive>()) == 1)
  }

  @Test func processesThatStartTogetherMigrateOnce() async throws {
    try store.fillV1(100)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { await migrate() } }
    }
    let context = try store.open(Library.V2.self, plan: CountingPlan.self)
    #expect(try context.fetchCount(FetchDescriptor<Library.V2.Archive>()) == 1)
    #expect(try context.fetchCount(FetchDescriptor<Library.V2.Book>()) == 100)
  }

  private func migrate() async {
    await #expect(processExitsWith: .success) {
      let context = try MigrationProcessTests.store.open(Library.V2.self, plan: CountingPlan.self)
      guard try context.fetchCount(FetchDescriptor<Library.V2.Book>()) == 100 else { exit(3) }
    }
  }
}

/// Kills the process after the tables have changed.
enum KillingPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Library.V1.self, Library.V2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: Library.V1.self, toVersion: Library.V2.self,
        willMigrate: { context in
          for note in try context.fetch(FetchDescriptor<Library.V1.Note>()) { context.delete(note) }
          try context.save()
        },
        didMigrate: { _ in kill(getpid(), SIGKILL) })
    ]
  }
}
