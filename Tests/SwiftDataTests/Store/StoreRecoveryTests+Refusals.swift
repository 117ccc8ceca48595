import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import SwiftDataTools
import Testing

extension StoreRecoveryTests {
  @Test func nothingIsMadeWhereNothingCanBe() throws {
    let names = try folder.content().keys.sorted()
    func expectRefusal(_ source: URL, _ destination: URL, _ words: String) throws {
      let error = #expect(throws: SwiftDataError.self) {
        try ModelContainer.recoverStore(at: source, to: destination)
      }
      #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
      #expect(try folder.content().keys.sorted() == names)
    }
    try expectRefusal(folder.store, folder.store, "already")
    try expectRefusal(recovered, recovered, "There is no readable file")
    try expectRefusal(folder.folder.url, recovered, "There is no readable file")
    try Data(repeating: 0x61, count: 20000).write(to: folder.store)
    try expectRefusal(folder.store, recovered, "recoverStore(at:to:for:)")
    try FileManager.default.removeItem(at: folder.store)
    try SQLiteFile.execute("CREATE TABLE a (b)", in: folder.store)
    try expectRefusal(folder.store, recovered, "an SQLite database, but not a store")
  }

  /// Without a log, the pages of a large transaction get into the file before its commit.
  @Test func anOpenTransactionIsNotRecovered() throws {
    let writer = try Connection(path: folder.store.path)
    try writer.execute("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 2")
    try writer.execute("BEGIN IMMEDIATE; UPDATE ZBOOK SET ZPAGES = -1")
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer.recoverStore(at: folder.store, to: recovered)
    }
    #expect(error?.description.contains("A program is writing the store") == true)
    #expect(!FileManager.default.fileExists(atPath: recovered.path))
    try writer.execute("ROLLBACK")
    #expect(try ModelContainer.recoverStore(at: folder.store, to: recovered).isComplete)
    #expect(
      try SQLiteFile.integer("SELECT count(*) FROM ZBOOK WHERE ZPAGES >= 0", in: recovered)
        == Int64(Self.count))
  }

  @Test(arguments: ["", "-wal", "-journal"])
  func nothingIsRecoveredBesideWhatAnotherStoreLeft(_ suffix: String) throws {
    let other = URL(fileURLWithPath: recovered.path + suffix)
    try Data([7]).write(to: other)
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer.recoverStore(at: folder.store, to: recovered)
    }
    #expect(error?.description.contains("already a file at \(other.path)") == true)
    #expect(try Data(contentsOf: other) == Data([7]))
  }
}
