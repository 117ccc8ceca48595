import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

@Suite struct SQLiteOptionsTests {
  private func pool(_ container: ModelContainer) throws -> ConnectionPool {
    try #require(container.stores.first as? DefaultStore).pool
  }

  private func pragmas(_ connection: Connection) throws -> [String: Int64] {
    var values: [String: Int64] = [:]
    for name in [
      "cache_size", "mmap_size", "synchronous", "wal_autocheckpoint", "journal_size_limit",
      "busy_timeout",
    ] {
      values[name] = try connection.integer("PRAGMA \(name)")
    }
    return values
  }

  @Test func theDefaults() throws {
    let folder = try TemporaryFolder()
    let pool = try pool(Office.container(folder.store))
    let expected: [String: Int64] = [
      "cache_size": -8000, "mmap_size": 0, "synchronous": 1, "wal_autocheckpoint": 1000,
      "journal_size_limit": 4_096_000, "busy_timeout": 10_000,
    ]
    #expect(try pool.write(pragmas) == expected)
    #expect(try pool.read(pragmas) == expected)
  }

  @Test func connectionsHaveTheOptions() throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store) {
      $0.sqlite.readers = 2
      $0.sqlite.pageCacheSize = 1 << 20
      $0.sqlite.memoryMapSize = 1 << 24
      $0.sqlite.busyTimeout = .seconds(3)
      $0.sqlite.durability = .full
      $0.sqlite.logLimit = 1 << 20
    }
    let pool = try pool(container)
    let expected: [String: Int64] = [
      "cache_size": -1024, "mmap_size": 1 << 24, "synchronous": 2, "wal_autocheckpoint": 256,
      "journal_size_limit": 1 << 20, "busy_timeout": 3000,
    ]
    #expect(try pool.write(pragmas) == expected)
    #expect(try pool.read(pragmas) == expected)
  }

  @Test func theLogIsCutAfterALargeSave() throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store) { $0.sqlite.logLimit = 65_536 }
    let context = ModelContext(container)
    for number in 0..<5000 { context.insert(Office.Person(email: "\(number)")) }
    try context.save()
    // The second commit begins the log anew.
    for number in 0..<2 {
      context.insert(Office.Person(email: "after \(number)"))
      try context.save()
    }
    let size = try #require(DatabaseFile.size(of: folder.store.path + "-wal"))
    #expect(size <= 2 * 65_536, "\(size)")
  }

  @Test func invalidOptionsAreRefusedAtOpening() throws {
    let changes: [(String, @Sendable (inout ModelConfiguration.SQLiteOptions) -> Void)] = [
      ("readers", { $0.readers = 0 }), ("readers", { $0.readers = 65 }),
      ("readers", { $0.readers = .min }), ("pageCacheSize", { $0.pageCacheSize = 0 }),
      ("pageCacheSize", { $0.pageCacheSize = .min }), ("memoryMapSize", { $0.memoryMapSize = -1 }),
      ("busyTimeout", { $0.busyTimeout = .seconds(-1) }),
      ("busyTimeout", { $0.busyTimeout = .seconds(Int64.max) }), ("logLimit", { $0.logLimit = 0 }),
    ]
    for (name, change) in changes {
      let folder = try TemporaryFolder()
      let error = thrownError { _ = try Office.container(folder.store) { change(&$0.sqlite) } }
      #expect(error == .loadIssueModelContainer && "\(error!)".contains("sqlite.\(name)"))
      #expect(!FileManager.default.fileExists(atPath: folder.store.path))
    }
  }

  @Test func theLargestValuesAreAccepted() throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store) {
      $0.sqlite.readers = 64
      $0.sqlite.pageCacheSize = 1 << 32
      $0.sqlite.memoryMapSize = .max
      $0.sqlite.busyTimeout = .seconds(86_400)
      $0.sqlite.logLimit = .max
    }
    let context = ModelContext(container)
    context.insert(Office.Person(email: "a"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Office.Person>()) == 1)
  }
}
