import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// The copy of a store that is made before its migration.
@Suite struct StoreBackupTests {
  private let folder: TemporaryFolder
  private let container: ModelContainer

  init() throws {
    folder = try TemporaryFolder()
    container = try External.container(folder.store)
    let context = ModelContext(container)
    for number in 0..<300 { context.insert(External.Picture("\(number)", Data([1, 2]))) }
    context.insert(External.Picture("large", External.bytes(3)))
    context.insert(External.Album("gone", cover: External.bytes(4)))
    try context.save()
    try context.delete(model: External.Album.self)
  }

  private func rows(of store: URL) throws -> [String] {
    let context = ModelContext(try External.container(store))
    return try context.fetch(FetchDescriptor<External.Picture>(sortBy: [SortDescriptor(\.name)]))
      .map { "\($0.name) \($0.data?.count ?? 0) \($0.data?.first ?? 0)" }
  }

  private func insert(_ name: String) throws {
    let context = ModelContext(container)
    context.insert(External.Picture(name, Data([1])))
    try context.save()
  }

  /// As in a migration: with the write lock, and beside a container that is in use.
  private func backup(_ version: String) throws -> URL {
    let pool = try ConnectionPool(path: folder.store.path, mode: .readWrite, readers: 0)
    try pool.beginEnclosing()
    defer { pool.rollbackEnclosing() }
    return try StoreBackup(of: folder.store, before: version).make()
  }

  @Test func theCopyIsAStore() throws {
    let copy = try backup("2.0.0")
    #expect(copy.lastPathComponent == "test-before-2.0.0.store")
    #expect(try rows(of: copy) == rows(of: folder.store))
    #expect(try rows(of: copy).count == 301)
    for sql in ["page_size", "auto_vacuum", "page_count", "freelist_count"] {
      #expect(
        try SQLiteFile.integer("PRAGMA \(sql)", in: copy)
          == SQLiteFile.integer("PRAGMA \(sql)", in: folder.store), "\(sql)")
    }
    #expect(try SQLiteFile.text("PRAGMA integrity_check", in: copy) == "ok")
    #expect(
      try SQLiteFile.text("SELECT hex(Z_PLIST) || Z_UUID FROM Z_METADATA", in: copy)
        == SQLiteFile.text("SELECT hex(Z_PLIST) || Z_UUID FROM Z_METADATA", in: folder.store))
    // The file of the value is shared, until one of both lets go of it.
    let check = try ExternalFilesCheck(of: copy)
    #expect(check.valueCount == 1 && check.missing.isEmpty && check.orphans.isEmpty)
    try container.erase()
    #expect(try rows(of: copy).contains("large 200000 3"))
  }

  @Test func eachCopyHasAName() throws {
    let names = try (0..<3).map { number in
      try insert("\(number)")
      return try backup("2.0.0").lastPathComponent
    }
    #expect(
      names == [
        "test-before-2.0.0.store", "test-before-2.0.0-2.store", "test-before-2.0.0-3.store",
      ])
    #expect(try backup("../a b").lastPathComponent == "test-before-..-a-b.store")
    #expect(try backup("").lastPathComponent == "test-before-migration.store")
    // What belongs to another store is not touched.
    let other = folder.url.appending(path: ".test-before-4_SUPPORT/kept")
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
    #expect(try backup("4").lastPathComponent == "test-before-4-2.store")
    #expect(FileManager.default.fileExists(atPath: other.path))
  }

  /// A killed migration has changed nothing, so its copy is that of the next attempt.
  @Test func theCopyOfAKilledMigrationIsUsedAgain() throws {
    let first = try backup("7")
    #expect(try backup("7") == first)
    // The copies of both attempts have the same content in either state of the log.
    try SQLiteFile.execute("PRAGMA wal_checkpoint(TRUNCATE)", in: folder.store)
    #expect(try backup("7") == first)
    // A file of a large value that is missing is linked again.
    let check = try ExternalFilesCheck(of: first)
    #expect(check.valueCount == 1)
    let values = folder.url.appending(path: ".test-before-7_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.removeItem(at: values)
    #expect(try backup("7") == first)
    #expect(try ExternalFilesCheck(of: first).missing.isEmpty)
    // A later failure does not remove what was there before.
    StoreBackup(of: folder.store, before: "7").remove()
    #expect(try rows(of: first).count == 301)

    try insert("later")
    #expect(try backup("7").lastPathComponent == "test-before-7-2.store")
    #expect(try backup("7").lastPathComponent == "test-before-7-2.store")
  }

  @Test func onlyAnUntouchedCopyIsUsedAgain() throws {
    func place(_ version: String) -> URL {
      folder.url.appending(path: "test-before-\(version).store")
    }
    // The store itself under another name.
    try FileManager.default.createSymbolicLink(at: place("8"), withDestinationURL: folder.store)
    #expect(try backup("8").lastPathComponent == "test-before-8-2.store")
    // A copy that has a second name, or was opened.
    let linked = try backup("9")
    try FileManager.default.linkItem(at: linked, to: folder.url.appending(path: "other"))
    #expect(try backup("9").lastPathComponent == "test-before-9-2.store")
    let opened = try backup("10")
    try Data().write(to: URL(fileURLWithPath: opened.path + "-wal"))
    #expect(try backup("10").lastPathComponent == "test-before-10-2.store")
    // One changed byte of a row.
    let changed = try backup("11")
    var bytes = try Data(contentsOf: changed)
    bytes[bytes.count - 1] ^= 1
    try bytes.write(to: changed)
    #expect(try backup("11").lastPathComponent == "test-before-11-2.store")
  }

  private var files: [String] {
    (FileManager.default.subpaths(atPath: folder.url.path) ?? []).sorted()
  }

  @Test func whatAKilledProcessLeftIsReplaced() throws {
    let partial = folder.url.appending(path: "test-before-5.store.partial")
    try Data("half".utf8).write(to: partial)
    let values = folder.url.appending(path: ".test-before-5_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: values, withIntermediateDirectories: true)
    try Data().write(to: values.appending(path: UUID().uuidString))
    let copy = try backup("5")
    #expect(copy.lastPathComponent == "test-before-5.store")
    #expect(try ExternalFilesCheck(of: copy).orphans.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: partial.path))
    #expect(try rows(of: copy).count == 301)
  }

  @Test(.enabled(if: FailureInjector.isAvailable))
  func aFailureLeavesNothingOfTheCopy() throws {
    // The first one brings the file into its form.
    try FileManager.default.removeItem(at: backup("0"))
    try FileManager.default.removeItem(
      at: folder.url.appending(path: ".test-before-0_SUPPORT"))
    let before = files
    let count = try FailureInjector.counting {
      try StoreBackup(of: folder.store, before: "6").make()
    }
    try FileManager.default.removeItem(at: folder.url.appending(path: "test-before-6.store"))
    try FileManager.default.removeItem(
      at: folder.url.appending(path: ".test-before-6_SUPPORT"))
    #expect(count > 8 && files == before)
    for number in 1...count {
      let injector = FailureInjector(failingAt: number, .full)
      let error = #expect(throws: SwiftDataError.self) {
        try injector.run { try StoreBackup(of: folder.store, before: "6").make() }
      }
      #expect(error == .storeWriteFailure)
      #expect(error?.description.contains("can't be copied to test-before-6.store") == true)
      #expect(files == before, "\(injector.operations.last ?? "")")
    }
  }
}
