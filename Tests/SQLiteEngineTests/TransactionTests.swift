import OpenSwiftDataSQLiteEngine
import Testing

struct TransactionTests {
  struct Refusal: Error {}

  let connection: Connection

  init() throws {
    connection = try Connection(path: "", mode: .memory(name: nil))
    try connection.execute("CREATE TABLE a (x UNIQUE)")
  }

  func values() throws -> Int64? {
    try connection.integer("SELECT count(*) FROM a")
  }

  @Test func whatATransactionDidStays() throws {
    let answer = try connection.transaction {
      #expect(connection.isInTransaction)
      try connection.execute("INSERT INTO a VALUES (1)")
      return "done"
    }
    #expect(answer == "done")
    #expect(!connection.isInTransaction)
    #expect(try values() == 1)
  }

  @Test(arguments: [TransactionKind.deferred, .immediate])
  func aThrowUndoesTheTransaction(_ kind: TransactionKind) throws {
    #expect(throws: Refusal.self) {
      try connection.transaction(kind) {
        try connection.execute("INSERT INTO a VALUES (1)")
        throw Refusal()
      }
    }
    #expect(!connection.isInTransaction)
    #expect(try values() == 0)
  }

  @Test func aHalfReadStatementDoesNotHinderTheRollback() throws {
    try connection.execute("INSERT INTO a VALUES (1), (2)")
    #expect(throws: Refusal.self) {
      try connection.transaction {
        let statement = try connection.prepare("SELECT x FROM a")
        #expect(try statement.step())
        try connection.execute("DELETE FROM a")
        throw Refusal()
      }
    }
    #expect(try values() == 2)
  }

  @Test func aSavepointUndoesItsPartOnly() throws {
    try connection.transaction {
      try connection.execute("INSERT INTO a VALUES (1)")
      #expect(throws: Refusal.self) {
        try connection.savepoint("inner \"part\"") {
          try connection.execute("INSERT INTO a VALUES (2)")
          throw Refusal()
        }
      }
      try connection.savepoint("other") { try connection.execute("INSERT INTO a VALUES (3)") }
    }
    #expect(try connection.text("SELECT group_concat(x) FROM a") == "1,3")
  }

  @Test func aViolationThrownInsideUndoesAll() throws {
    let error = #expect(throws: SQLiteError.self) {
      try connection.transaction {
        try connection.execute("INSERT INTO a VALUES (1)")
        try connection.execute("INSERT INTO a VALUES (1)")
      }
    }
    #expect(error?.isUniquenessViolation == true)
    #expect(try values() == 0)
  }
}
