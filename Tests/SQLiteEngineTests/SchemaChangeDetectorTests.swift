import OpenSwiftDataSQLiteEngine
import Synchronization
import Testing

/// Somebody else changes the tables of a database that is open.
struct SchemaChangeDetectorTests {
  struct Changed: Error {}

  let directory: TemporaryDirectory
  let path: String
  let pool: ConnectionPool
  let other: Connection

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("a.store")
    other = try Connection(path: path)
    try other.execute("CREATE TABLE a (x)")
    pool = try ConnectionPool(path: path, mode: .readWrite)
  }

  private func insert() throws {
    try pool.write { connection in
      try connection.transaction { try connection.execute("INSERT INTO a (x) VALUES (1)") }
    }
  }

  private func count() throws -> Int64? {
    try pool.read { try $0.integer("SELECT count(*) FROM a") }
  }

  @Test func theCheckRunsOnlyAfterOthersHaveWritten() throws {
    let checks = Counter()
    // A connection is checked when it is opened too.
    #expect(try count() == 0)
    try pool.watchSchema { _ in checks.add() }
    #expect(checks.value == 1)
    for _ in 0..<5 { try insert() }
    #expect(try count() == 5)
    #expect(checks.value == 1)
    try other.execute("INSERT INTO a VALUES (2)")
    // Rows are no tables, so a read does not ask; a write asks, since it can't know.
    #expect(try count() == 6)
    #expect(checks.value == 1)
    try insert()
    #expect(checks.value == 2)
    try insert()
    #expect(checks.value == 2)
    try other.execute("CREATE INDEX i ON a (x)")
    #expect(try count() == 8)
    #expect(checks.value == 3)
    #expect(try count() == 8)
    #expect(checks.value == 3)
    try insert()
    #expect(checks.value == 4)
  }

  @Test func whatTheCheckThrowsEndsReadsAndWrites() throws {
    let version = try other.schemaVersion
    try pool.watchSchema { if try $0.schemaVersion != version { throw Changed() } }
    try insert()
    #expect(try count() == 1)
    try other.execute("ALTER TABLE a ADD COLUMN y")
    for _ in 0..<2 {
      #expect(throws: Changed.self) { try insert() }
      #expect(throws: Changed.self) { try count() }
      #expect(throws: Changed.self) { try pool.leaseWriter().connection.begin(.immediate) }
    }
    try pool.write { #expect(!$0.isInTransaction) }
    #expect(try other.integer("SELECT count(*) FROM a") == 1)
  }

  /// A look for remote commits reads on the writing connection, and sees the change first.
  @Test func aReadOnTheWritingConnectionLeavesTheCheckToTheNextWrite() throws {
    let version = try other.schemaVersion
    let checks = Counter()
    try pool.watchSchema {
      checks.add()
      if try $0.schemaVersion != version { throw Changed() }
    }
    func look() throws -> Int64? {
      try pool.write { connection in
        try connection.snapshot { try connection.integer("SELECT count(*) FROM a") }
      }
    }
    try other.execute("INSERT INTO a VALUES (1)")
    #expect(try look() == 1)
    try insert()
    #expect(checks.value == 2)
    #expect(try look() == 2)
    try insert()
    #expect(checks.value == 2)
    try other.execute("ALTER TABLE a ADD COLUMN y")
    for _ in 0..<2 {
      #expect(try look() == 3)
      #expect(throws: Changed.self) { try insert() }
      #expect(throws: Changed.self) { try pool.write { try $0.beginEnclosing() } }
    }
    try pool.write { #expect(!$0.isInTransaction) }
    #expect(try other.integer("SELECT count(*) FROM a") == 3)
  }

  @Test func aConnectionThatIsOpenedLaterIsChecked() throws {
    let version = try other.schemaVersion
    try pool.watchSchema { if try $0.schemaVersion != version { throw Changed() } }
    try other.execute("ALTER TABLE a ADD COLUMN y")
    #expect(throws: Changed.self) { try count() }
    #expect(throws: Changed.self) { try count() }
  }

  @Test func aHigherNumberIsEnough() throws {
    let checks = Counter()
    try pool.watchSchema { _ in checks.add() }
    _ = try count()
    let before = checks.value
    try other.increaseSchemaVersion()
    _ = try count()
    #expect(checks.value == before + 1)
    #expect(try other.text("PRAGMA integrity_check") == "ok")
  }
}

private final class Counter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }
}
