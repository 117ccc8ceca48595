import Dispatch
import Foundation
import OpenSwiftDataSQLiteEngine
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ConnectionPoolTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("a.store")
  }

  /// Runs `body` on `count` threads and waits for them.
  func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) -> [any Error] {
    let errors = Mutex<[any Error]>([])
    DispatchQueue.concurrentPerform(iterations: count) { index in
      do { try body(index) } catch { errors.withLock { $0.append(error) } }
    }
    return errors.withLock { $0 }
  }

  @Test func readersSeeWhatWasCommittedWhileAWriterWorks() throws {
    let pool = try ConnectionPool(path: path, mode: .readWriteCreate)
    try pool.write { try $0.execute("CREATE TABLE a (x); INSERT INTO a VALUES (1)") }
    let seen = Mutex<Int64?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    try pool.write { connection in
      try connection.transaction {
        try connection.execute("INSERT INTO a VALUES (2)")
        let reader = Thread {
          let count = try? pool.read { try $0.integer("SELECT count(*) FROM a") }
          seen.withLock { $0 = count }
          isDone.signal()
        }
        reader.start()
        #expect(isDone.wait(timeout: .now() + 20) == .success)
      }
    }
    #expect(seen.withLock { $0 } == 1)
    #expect(try pool.read { try $0.integer("SELECT count(*) FROM a") } == 2)
  }

  @Test func aReadInsideAWriteSeesTheUncommitted() throws {
    let pool = try ConnectionPool(path: path, mode: .readWriteCreate)
    try pool.write { connection in
      try connection.transaction {
        try connection.execute("CREATE TABLE a (x)")
        let inner = try pool.read { inner in
          #expect(inner === connection)
          return try inner.integer("SELECT count(*) FROM a")
        }
        #expect(inner == 0)
        try pool.write { #expect($0 === connection) }
      }
    }
  }

  @Test func aReadInsideAReadStaysOnItsConnection() throws {
    let pool = try ConnectionPool(path: path, mode: .readWriteCreate, readers: 1)
    try pool.read { outer in
      try pool.read { #expect($0 === outer) }
      try pool.write { #expect($0 !== outer) }
    }
  }

  @Test(arguments: [OpenMode.readWriteCreate, .memory(name: nil)])
  func manyThreadsWriteAndReadWithoutLosingAnything(_ mode: OpenMode) throws {
    let pool = try ConnectionPool(path: path, mode: mode, readers: 2)
    try pool.write { try $0.execute("CREATE TABLE a (x)") }
    let errors = onThreads(8) { thread in
      for value in 0..<50 {
        try pool.write { connection in
          try connection.transaction {
            let insert = try connection.prepare("INSERT INTO a VALUES (?)")
            try insert.bind(Int64(thread * 50 + value), at: 1)
            try insert.run()
          }
        }
        try pool.read { connection in
          guard try connection.integer("SELECT count(*) FROM a")! > 0 else {
            throw SQLiteError(.error, message: "an empty table")
          }
        }
      }
    }
    #expect(errors.isEmpty)
    #expect(try pool.read { try $0.integer("SELECT count(DISTINCT x) FROM a") } == 400)
  }

  @Test func readersCannotWrite() throws {
    let pool = try ConnectionPool(path: path, mode: .readWriteCreate)
    try pool.write { try $0.execute("CREATE TABLE a (x)") }
    let error = #expect(throws: SQLiteError.self) {
      try pool.read { try $0.execute("INSERT INTO a VALUES (1)") }
    }
    #expect(error?.code == .readOnly)
  }

  @Test func aReadOnlyPoolReadsAndRefusesWrites() throws {
    try Connection(path: path).execute("CREATE TABLE a (x); INSERT INTO a VALUES (5)")
    let pool = try ConnectionPool(path: path, mode: .readOnly)
    #expect(try pool.read { try $0.integer("SELECT x FROM a") } == 5)
    let error = #expect(throws: SQLiteError.self) { try pool.write { _ in } }
    #expect(error?.code == .readOnly)
  }

  @Test func everyConnectionIsConfigured() throws {
    let pool = try ConnectionPool(
      path: path, mode: .readWriteCreate,
      configure: { connection in
        try connection.register(function: "seven", argumentCount: 0, deterministic: true) { _ in
          .integer(7)
        }
      })
    #expect(try pool.write { try $0.integer("SELECT seven()") } == 7)
    #expect(try pool.read { try $0.integer("SELECT seven()") } == 7)
  }

  @Test func aBadPathFailsWhenThePoolIsMade() throws {
    let error = #expect(throws: SQLiteError.self) {
      try ConnectionPool(path: directory.file("no/a.store"), mode: .readWriteCreate)
    }
    #expect(error?.code == .cannotOpen)
  }

  @Test func aClosedPoolRefusesAndLeavesNoLog() throws {
    let pool = try ConnectionPool(path: path, mode: .readWriteCreate)
    try pool.write { try $0.execute("CREATE TABLE a (x)") }
    try pool.read { _ in
      _ = #expect(throws: SQLiteError.self) { try pool.close() }
    }
    try pool.close()
    let error = #expect(throws: SQLiteError.self) { try pool.read { _ in } }
    #expect(error?.message == "the store is closed")
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
  }

  @Test func manyPoolsMayCreateOneFileAtOnce() throws {
    let errors = onThreads(6) { [path] _ in
      let pool = try ConnectionPool(path: path, mode: .readWriteCreate)
      try pool.write { try $0.execute("CREATE TABLE IF NOT EXISTS a (x)") }
    }
    #expect(errors.map { "\($0)" } == [])
  }
}
