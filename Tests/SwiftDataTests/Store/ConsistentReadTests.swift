import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Synchronization
import Testing

/// Looks at files that others write meanwhile.
@Suite struct ConsistentReadTests {
  private let store: MigratedStore

  init() throws {
    store = try MigratedStore()
    try store.make([Graded.First.Item.self]) { context in
      for number in 0..<200 { context.insert(Graded.First.Item("item \(number)")) }
    }
  }

  private var columns: String { "SELECT count(*) FROM pragma_table_info('ZITEM')" }

  @Test func aLookSeesOneStateWhileOthersWrite() throws {
    let before = try store.folder.names()
    try StoreFileCheck.look(at: store.url) { connection, stored in
      try SQLiteFile.execute(
        """
        ALTER TABLE ZITEM ADD COLUMN ZMORE INTEGER; UPDATE ZITEM SET ZMORE = Z_PK;
        CREATE INDEX MORE ON ZITEM (ZMORE); PRAGMA wal_checkpoint(PASSIVE)
        """, in: store.url)
      #expect(stored.columns["ZITEM"]?["ZMORE"] == nil)
      #expect(try connection.integer(columns) == 5)
      #expect(try connection.integer("SELECT count(*) FROM ZITEM") == 200)
      #expect(try connection.text("PRAGMA integrity_check") == "ok")
    }
    #expect(try SQLiteFile.integer(columns, in: store.url) == 6)
    #expect(try store.folder.names() == before)
  }

  /// A file that can't be locked is read again where others have changed it.
  @Test func anUnlockedLookIsRepeatedAfterAChange() throws {
    var counts: [Int64] = []
    let found = try ConsistentRead(path: store.url.path).run { file, look in
      let connection = try Connection(path: file.path, mode: .readOnly, access: .immutable)
      look.begin(connection)
      if counts.isEmpty { try SQLiteFile.execute("DELETE FROM ZITEM", in: store.url) }
      counts.append(try connection.integer("SELECT count(*) FROM ZITEM") ?? -1)
      return counts.count
    }
    #expect(found == 2 && counts.last == 0)
  }

  @Test func aLockedLookCountsAtOnce() throws {
    var count = 0
    try ConsistentRead(path: store.url.path).run { file, look in
      let connection = try file.look()
      look.begin(connection)
      try SQLiteFile.execute("DELETE FROM ZITEM", in: store.url)
      count += 1
    }
    #expect(count == 1)
  }

  @Test func anErrorThatStaysIsThrown() throws {
    var count = 0
    #expect(throws: CancellationError.self) {
      try ConsistentRead(path: store.url.path).run { _, _ in
        count += 1
        throw CancellationError()
      }
    }
    #expect(count == 1)
  }

  @Test func savesDuringACheckMakeNoFileMissingOrOrphaned() throws {
    let folder = try TemporaryFolder()
    let container = try External.container(folder.store)
    let first = ModelContext(container)
    first.insert(External.Album("old", cover: External.bytes(1)))
    try first.save()
    let found = try StoreFileCheck.look(at: folder.store) { connection, _ in
      let other = ModelContext(try External.container(folder.store))
      let album = try #require(try other.fetch(FetchDescriptor<External.Album>()).first)
      album.cover = External.bytes(2)
      try other.save()
      return try ExternalFilesCheck(of: folder.store, through: connection)
    }
    #expect(found.missing.count == 1 && found.orphans.count == 1)
    let confirmed = try found.confirmed(of: folder.store)
    #expect(confirmed.missing.isEmpty && confirmed.orphans.isEmpty)
  }

  @Test func filesThatStayMissingOrOrphanedAreConfirmed() throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(try External.container(folder.store))
    context.insert(External.Album("old", cover: External.bytes(1)))
    try context.save()
    let values = folder.url.appending(path: ".test_SUPPORT/_EXTERNAL_DATA")
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: values.path).first)
    try FileManager.default.moveItem(
      at: values.appending(path: name), to: values.appending(path: UUID().uuidString))
    let found = try ExternalFilesCheck(of: folder.store)
    #expect(found.missing.count == 1 && found.orphans.count == 1)
    let confirmed = try found.confirmed(of: folder.store)
    #expect(confirmed.missing == found.missing && confirmed.orphans == found.orphans)
  }

  /// One thread migrates copies of the store again and again, others look at them.
  @Test func nobodyCallsASoundFileDamaged() throws {
    let closed = try Data(contentsOf: store.url)
    let failures = Mutex<[String]>([])
    for round in 0..<20 {
      let folder = try TemporaryFolder()
      try closed.write(to: folder.store)
      let url = folder.store
      let isDone = Mutex(false)
      let schema = Schema([Graded.Second.Item.self])
      DispatchQueue.concurrentPerform(iterations: 3) { task in
        do {
          if task == 0 {
            defer { isDone.withLock { $0 = true } }
            for turn in 0..<3 {
              _ = try ModelContainer(
                for: schema, configurations: ModelConfiguration("turn \(turn)", url: url))
            }
          } else {
            repeat {
              if task == 1 {
                _ = try ModelContainer.migrationPreview(
                  for: schema, configurations: [ModelConfiguration(url: url)])
              } else {
                let container = try ModelContainer(
                  for: schema, configurations: ModelConfiguration(url: url))
                #expect(
                  try ModelContext(container).fetchCount(FetchDescriptor<Graded.Second.Item>())
                    == 200)
              }
            } while !isDone.withLock(\.self)
          }
        } catch {
          failures.withLock { $0.append("round \(round), task \(task): \(error)") }
        }
      }
    }
    #expect(failures.withLock(\.self) == [])
  }
}

extension TemporaryFolder {
  /// The names of its files.
  func names() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: url.path).sorted()
  }
}
