import Foundation
import OpenSwiftDataSQLiteEngine
import Testing

struct EnclosingTransactionTests {
  struct Refusal: Error {}

  let directory: TemporaryDirectory
  let path: String
  let pool: ConnectionPool

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("a.store")
    try Connection(path: path).execute("CREATE TABLE a (x UNIQUE); INSERT INTO a VALUES (0)")
    pool = try ConnectionPool(path: path, mode: .readWrite, readers: 0, temporaryStorage: .file)
  }

  private func insert(_ value: Int) throws {
    try pool.write { connection in
      try connection.transaction { try connection.execute("INSERT INTO a VALUES (\(value))") }
    }
  }

  private func inside() throws -> String? {
    try pool.read { try $0.text("SELECT group_concat(x) FROM a") }
  }

  /// What another connection sees.
  private func outside() throws -> String? {
    try Connection(path: path, mode: .readWrite).text("SELECT group_concat(x) FROM a")
  }

  @Test func nothingIsStoredBeforeTheCommit() throws {
    try pool.beginEnclosing()
    try insert(1)
    try insert(2)
    #expect(try inside() == "0,1,2")
    #expect(try outside() == "0")
    try pool.commitEnclosing()
    #expect(try outside() == "0,1,2")
    try insert(3)
    #expect(try outside() == "0,1,2,3")
  }

  @Test func aRollbackUndoesWhatWasCommittedInside() throws {
    try pool.beginEnclosing()
    try insert(1)
    try pool.write { try $0.execute("ALTER TABLE a ADD COLUMN y; CREATE TABLE b (z)") }
    try pool.write { try $0.execute("INSERT INTO a VALUES (2, 2); INSERT INTO b VALUES (1)") }
    pool.rollbackEnclosing()
    #expect(try outside() == "0")
    let columns = "SELECT group_concat(name) FROM pragma_table_info('a')"
    #expect(try pool.read { try $0.text(columns) } == "x")
    try insert(4)
    #expect(try outside() == "0,4")
  }

  @Test func withoutSavepointsAFailureThatHasWrittenFailsTheWhole() throws {
    try pool.beginEnclosing()
    try pool.write { connection in
      connection.omitSavepointsInside()
      // Nothing was written, so nothing has to be undone.
      #expect(throws: Refusal.self) { try connection.transaction { throw Refusal() } }
      #expect(throws: SQLiteError.self) {
        try connection.transaction { try connection.execute("INSERT INTO a VALUES (0)") }
      }
      #expect(connection.enclosingFailure == nil)
    }
    try insert(1)
    try pool.commitEnclosing()
    #expect(try outside() == "0,1")
    try pool.beginEnclosing()
    try pool.write { $0.omitSavepointsInside() }
    try insert(2)
    try pool.write { connection in
      #expect(throws: Refusal.self) {
        try connection.transaction {
          try connection.execute("INSERT INTO a VALUES (3)")
          throw Refusal()
        }
      }
      #expect(connection.enclosingFailure?.code == .aborted)
    }
    #expect(throws: SQLiteError.self) { try insert(4) }
    #expect(throws: SQLiteError.self) { try pool.commitEnclosing() }
    pool.rollbackEnclosing()
    // The next one has savepoints again.
    try pool.beginEnclosing()
    try insert(5)
    try pool.write { connection in
      fail(connection) { try connection.execute("INSERT INTO a VALUES (6)") }
    }
    try pool.commitEnclosing()
    #expect(try outside() == "0,1,5")
  }

  /// Adds values in a transaction that throws in the end.
  private func fail(_ connection: Connection, _ body: () throws -> Void) {
    #expect(throws: Refusal.self) {
      try connection.transaction {
        try body()
        throw Refusal()
      }
    }
  }

  @Test func transactionsInsideAreUndoneByThemselves() throws {
    try pool.beginEnclosing()
    let lease = try pool.leaseWriter()
    let connection = lease.connection
    try insert(1)
    fail(connection) {
      try connection.execute("INSERT INTO a VALUES (2)")
      try insert(3)
    }
    #expect(try inside() == "0,1")
    try connection.begin(.immediate)
    try insert(4)
    fail(connection) { try insert(5) }
    try connection.savepoint("enclosed 1") { try insert(6) }
    try connection.commit()
    // A violation undoes its statement; the transaction is undone by who began it.
    try connection.begin(.immediate)
    try insert(7)
    #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO a VALUES (1)") }
    connection.rollback()
    connection.rollback()
    lease.end()
    try pool.commitEnclosing()
    #expect(try outside() == "0,1,4,6")
  }

  @Test func aLeaseAndASnapshotInside() throws {
    try pool.beginEnclosing()
    let lease = try pool.leaseWriter()
    try lease.connection.begin(.immediate)
    try lease.connection.execute("INSERT INTO a VALUES (1)")
    #expect(try pool.read { connection in try connection.snapshot { try inside() } } == "0,1")
    try lease.connection.commit()
    lease.end()
    #expect(throws: Refusal.self) {
      try pool.read { connection in
        try connection.snapshot {
          try insert(2)
          throw Refusal()
        }
      }
    }
    try pool.commitEnclosing()
    #expect(try outside() == "0,1,2")
  }

  @Test func anotherConnectionWaitsForTheLock() throws {
    try pool.beginEnclosing()
    let other = try Connection(path: path, mode: .readWrite, busyTimeout: .milliseconds(20))
    let error = #expect(throws: SQLiteError.self) { try other.begin(.immediate) }
    #expect(error?.code == .busy)
    #expect(try other.text("SELECT group_concat(x) FROM a") == "0")
    let another = try ConnectionPool(
      path: path, mode: .readWrite, readers: 0, busyTimeout: .milliseconds(20))
    #expect(throws: SQLiteError.self) { try another.beginEnclosing() }
    try pool.commitEnclosing()
    try another.beginEnclosing()
    another.rollbackEnclosing()
  }

  /// A full disk makes SQLite undo the transaction. Whoever goes on must not store the rest alone.
  @Test func nothingIsStoredAfterSQLiteHasUndoneTheTransaction() throws {
    try pool.beginEnclosing()
    try insert(1)
    let pages = try pool.read { try $0.integer("PRAGMA page_count") } ?? 0
    let full = #expect(throws: SQLiteError.self) {
      try pool.write { connection in
        try connection.transaction {
          try connection.execute("PRAGMA max_page_count = \(pages + 2)")
          for value in 2..<1000 {
            try connection.execute("INSERT INTO a VALUES ('\(value)' || hex(zeroblob(500)))")
          }
        }
      }
    }
    #expect(full?.code == .full)
    try pool.write { connection in
      #expect(!connection.isInTransaction && connection.isEnclosed)
      let error = #expect(throws: SQLiteError.self) { try connection.begin(.immediate) }
      #expect(error?.code == .aborted && error?.description.contains("rolled back") == true)
      #expect(throws: SQLiteError.self) { try connection.snapshot {} }
      // Not even a statement that would commit by itself.
      #expect(throws: SQLiteError.self) { try connection.execute("DELETE FROM a") }
      #expect(throws: SQLiteError.self) { try connection.execute("BEGIN; DELETE FROM a; COMMIT") }
      connection.rollback()
    }
    #expect(throws: SQLiteError.self) { try pool.commitEnclosing() }
    pool.rollbackEnclosing()
    #expect(try outside() == "0")
    try insert(9)
    #expect(try outside() == "0,9")
  }

  @Test func closingThePoolUndoesWhatIsNotCommitted() throws {
    try pool.beginEnclosing()
    try insert(1)
    try pool.close()
    #expect(try outside() == "0")
    let error = #expect(throws: SQLiteError.self) { try pool.read { _ in } }
    #expect(error?.message == "the store is closed")
  }

  @Test func misuseIsRefused() throws {
    #expect(throws: SQLiteError.self) { try pool.commitEnclosing() }
    pool.rollbackEnclosing()
    try pool.beginEnclosing()
    #expect(throws: SQLiteError.self) { try pool.beginEnclosing() }
    try pool.write { connection in
      #expect(throws: SQLiteError.self) { try connection.commit() }
      try connection.begin(.immediate)
      #expect(throws: SQLiteError.self) { try connection.commitEnclosing() }
      try connection.commit()
    }
    try pool.commitEnclosing()
    let other = try ConnectionPool(path: path, mode: .readWrite, readers: 1)
    #expect(throws: SQLiteError.self) { try other.beginEnclosing() }
  }

  @Test func oneConnectionServesAllThreads() throws {
    let results = LockedList()
    let pool = pool
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for value in 1...20 {
        try? pool.write { connection in
          try connection.transaction {
            try connection.execute("INSERT INTO a VALUES (\(thread * 100 + value))")
          }
        }
        if let count = try? pool.read({ try $0.integer("SELECT count(*) FROM a") }) {
          results.append(count)
        }
      }
    }
    #expect(results.values.count == 80)
    #expect(try pool.read { try $0.integer("SELECT count(*) FROM a") } == 81)
    #expect(try pool.read { try $0.integer("PRAGMA temp_store") } == 1)
  }

  @Test(.enabled(if: FailureInjector.isAvailable))
  func whateverStatementFailsAllOrNothingIsStored() throws {
    func work() throws {
      try pool.beginEnclosing()
      do {
        try insert(1)
        try? insert(2)
        try pool.write { connection in
          try connection.transaction {
            try connection.execute("INSERT INTO a VALUES (3)")
            try? connection.transaction { try connection.execute("INSERT INTO a VALUES (4)") }
          }
        }
        try pool.commitEnclosing()
      } catch {
        pool.rollbackEnclosing()
        throw error
      }
    }
    for effect in [FailureInjector.Effect.none, .undoesTransaction] {
      var number = 0
      while true {
        number += 1
        let injector = FailureInjector(failingAt: number, .full, effect: effect)
        let isDone = (try? injector.run(work)) != nil
        let stored = try outside()
        if !isDone {
          #expect(stored == "0", "\(injector.operations.last ?? "")")
          continue
        }
        #expect(["0,1,2,3,4", "0,1,3,4", "0,1,2,3"].contains(stored))
        try pool.write { try $0.execute("DELETE FROM a WHERE x > 0") }
        if injector.operations.count < number { break }
      }
      #expect(number > 12)
    }
  }
}

private final class LockedList: @unchecked Sendable {
  private let lock = NSLock()
  private var list: [Int64] = []
  var values: [Int64] { lock.withLock { list } }
  func append(_ value: Int64) { lock.withLock { list.append(value) } }
}
