import Foundation
import OpenSwiftDataSQLiteEngine
import Testing

struct ConnectionTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test func aNewFileHasTheLayoutOfAStore() throws {
    let path = directory.file("a.store")
    do {
      let connection = try Connection(path: path)
      #expect(try connection.integer("PRAGMA page_size") == 4096)
      #expect(try connection.integer("PRAGMA auto_vacuum") == 2)
      #expect(try connection.text("PRAGMA journal_mode") == "wal")
      #expect(try connection.integer("PRAGMA synchronous") == 1)
      try connection.execute("CREATE TABLE a (x); INSERT INTO a VALUES (1), (2)")
    }
    let header = try Data(contentsOf: URL(fileURLWithPath: path)).prefix(100)
    #expect(header.prefix(15) == Data("SQLite format 3".utf8))
    #expect(Array(header[16..<18]) == [0x10, 0x00])
    #expect(Array(header[18..<20]) == [2, 2])
    // Incremental vacuum: a largest root page (52) and the incremental flag (64) are set.
    #expect(header[52..<56].contains { $0 != 0 })
    #expect(header[64..<68].contains { $0 != 0 })
  }

  @Test func pathsMayHoldSpacesAndSignsThatMeanSomethingInURIs() throws {
    for name in ["a b.store", "what?.store", "100%.store", "c#.store", "%41.store", "ä ö.store"] {
      let path = directory.file(name)
      try Connection(path: path).execute("CREATE TABLE a (x)")
      #expect(FileManager.default.fileExists(atPath: path), "\(name)")
    }
  }

  @Test func executeRunsSeveralStatementsAndCountsChanges() throws {
    let connection = try Connection(path: "", mode: .memory(name: nil))
    try connection.execute(
      "CREATE TABLE a (x INTEGER PRIMARY KEY, y); INSERT INTO a (y) VALUES (1), (2), (3)")
    #expect(connection.changes == 3)
    #expect(connection.lastInsertedRowID == 3)
    try connection.execute("UPDATE a SET y = 0 WHERE x > 1")
    #expect(connection.changes == 2)
    #expect(connection.totalChanges == 5)
  }

  @Test func connectionsOfANameShareOneDatabaseInMemory() throws {
    let name = UUID().uuidString
    let first = try Connection(path: "", mode: .memory(name: name))
    let second = try Connection(path: "", mode: .memory(name: name))
    let stranger = try Connection(path: "", mode: .memory(name: nil))
    try first.execute("CREATE TABLE a (x); INSERT INTO a VALUES (7)")
    #expect(try second.integer("SELECT x FROM a") == 7)
    #expect(try stranger.integer("SELECT count(*) FROM sqlite_schema") == 0)
  }

  @Test func aReadOnlyConnectionReadsButDoesNotWrite() throws {
    let path = directory.file("a.store")
    try Connection(path: path).execute("CREATE TABLE a (x); INSERT INTO a VALUES (7)")
    let connection = try Connection(path: path, mode: .readOnly)
    #expect(try connection.integer("SELECT x FROM a") == 7)
    let error = #expect(throws: SQLiteError.self) {
      try connection.execute("INSERT INTO a VALUES (8)")
    }
    #expect(error?.code == .readOnly)
    #expect(error?.description.contains(path) == true)
  }

  @Test func interruptStopsARunningStatement() throws {
    let connection = try Connection(path: "", mode: .memory(name: nil))
    try connection.register(function: "stop", argumentCount: 0, deterministic: false) { _ in
      connection.interrupt()
      return .null
    }
    let error = #expect(throws: SQLiteError.self) {
      try connection.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000000) "
          + "SELECT count(*), stop() FROM n WHERE stop() IS NULL")
    }
    #expect(error?.code == .interrupted)
  }
}
