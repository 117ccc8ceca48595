import Foundation
import OpenSwiftDataSQLiteEngine
import Testing

/// A write is noticed although lengths and times of the files are as before.
struct DatabaseStampTests {
  private let directory: TemporaryDirectory
  private let connection: Connection
  private var path: String { directory.file("a.db") }

  init() throws {
    directory = try TemporaryDirectory()
    connection = try Connection(path: directory.file("a.db"))
  }

  private func stamp() throws -> DatabaseFile.Stamp {
    for file in [path, path + "-wal"] where FileManager.default.fileExists(atPath: file) {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_000_000)], ofItemAtPath: file)
    }
    return DatabaseFile.Stamp(of: path)
  }

  private func expectNoticed(_ sql: String, at location: SourceLocation = #_sourceLocation) throws {
    let before = try stamp()
    #expect(try stamp() == before, sourceLocation: location)
    try connection.execute(sql)
    #expect(try stamp() != before, sourceLocation: location)
  }

  @Test func aWriteToTheFile() throws {
    try connection.execute(
      "PRAGMA journal_mode = DELETE; CREATE TABLE a (b); INSERT INTO a VALUES (1)")
    try expectNoticed("UPDATE a SET b = 2")
  }

  @Test func aLogThatBeginsAnew() throws {
    try connection.execute(
      """
      PRAGMA journal_mode = WAL; CREATE TABLE a (b); INSERT INTO a VALUES (1);
      PRAGMA wal_checkpoint(RESTART)
      """)
    try expectNoticed("UPDATE a SET b = 2")
  }
}
