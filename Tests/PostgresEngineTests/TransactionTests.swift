import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import Testing

@Suite(.enabled(if: PostgresServer.isAvailable))
struct TransactionTests {
  struct Refusal: Error {}

  let connection: PostgresConnection
  let other: PostgresConnection

  init() throws {
    connection = try PostgresServer.shared.connectToNewSchema()
    try connection.execute("CREATE TABLE a (x bigint UNIQUE, y bigint)")
    other = try connection.another()
  }

  var count: Int64? { get throws { try other.integer("SELECT count(*) FROM a") } }

  @Test func whatATransactionDidStays() throws {
    let answer = try connection.transaction {
      #expect(connection.hasOpenTransaction)
      try connection.execute("INSERT INTO a VALUES (1)")
      #expect(try count == 0)
      return "done"
    }
    #expect(answer == "done")
    #expect(!connection.hasOpenTransaction)
    #expect(try count == 1)
  }

  @Test func aThrowUndoesTheTransaction() throws {
    #expect(throws: Refusal.self) {
      try connection.transaction {
        try connection.execute("INSERT INTO a VALUES (1)")
        throw Refusal()
      }
    }
    #expect(!connection.hasOpenTransaction)
    #expect(try count == 0)
  }

  @Test func afterAnErrorStatementsAreRefusedWithItsCauseAndNothingIsSent() throws {
    try connection.begin(.write)
    #expect(failure { try connection.execute("SELECT 1/0") }?.state == "22012")
    let trips = connection.roundTrips
    let error = failure { _ = try connection.integer("SELECT 1") }
    #expect(error?.state == .failedTransaction)
    #expect(error?.description.contains("division by zero") == true)
    #expect(error?.causes.map(\.state) == ["22012"])
    #expect(connection.roundTrips == trips)
    let commit = failure { try connection.commit() }
    #expect(commit?.state == .failedTransaction)
    #expect(commit?.description.contains("nothing was committed") == true)
    #expect(!connection.hasOpenTransaction)
    #expect(try connection.integer("SELECT 1") == 1)
  }

  @Test func aSavepointUndoesItsPartOnlyAndMendsTheTransaction() throws {
    try connection.transaction {
      try connection.execute("INSERT INTO a VALUES (1)")
      let error = failure {
        try connection.savepoint("inner \"part\"") {
          try connection.execute("INSERT INTO a VALUES (2)")
          try connection.execute("INSERT INTO a VALUES (1)")
        }
      }
      #expect(error?.isUniquenessViolation == true)
      try connection.savepoint("second") { try connection.execute("INSERT INTO a VALUES (3)") }
    }
    #expect(try other.values("SELECT x FROM a ORDER BY x") == [[.integer(1)], [.integer(3)]])
  }

  @Test func aSnapshotSeesOneStateAndCannotWrite() throws {
    try connection.snapshot {
      #expect(try connection.integer("SELECT count(*) FROM a") == 0)
      try other.execute("INSERT INTO a VALUES (1)")
      #expect(try connection.integer("SELECT count(*) FROM a") == 0)
    }
    #expect(try connection.integer("SELECT count(*) FROM a") == 1)
    let error = failure {
      try connection.snapshot { try connection.execute("DELETE FROM a") }
    }
    #expect(error?.state == .readOnlyTransaction)
  }

  @Test func anEnclosingTransactionContainsTheOthers() throws {
    try connection.beginEnclosing()
    try connection.transaction { try connection.execute("INSERT INTO a VALUES (1)") }
    #expect(throws: Refusal.self) {
      try connection.transaction {
        try connection.execute("INSERT INTO a VALUES (2)")
        throw Refusal()
      }
    }
    #expect(failure { try connection.transaction { try connection.execute("SELECT 1/0") } } != nil)
    try connection.transaction {
      try connection.begin(.write)
      try connection.execute("INSERT INTO a VALUES (3)")
      try connection.commit()
    }
    #expect(try count == 0)
    #expect(failure { try connection.commit() }?.kind == .misuse)
    try connection.commitEnclosing()
    #expect(try count == 2)
    try connection.beginEnclosing()
    try connection.transaction { try connection.execute("INSERT INTO a VALUES (4)") }
    connection.rollbackEnclosing()
    #expect(try count == 2)
    #expect(!connection.hasOpenTransaction)
  }

  @Test func oneOfTwoDeadlockedTransactionsCanBeRepeated() throws {
    try connection.execute("SET deadlock_timeout = '50ms'")
    try other.execute("SET deadlock_timeout = '50ms'")
    try connection.execute("INSERT INTO a VALUES (1, 0), (2, 0)")
    try connection.begin(.write)
    try connection.execute("UPDATE a SET y = 1 WHERE x = 1")
    try other.begin(.write)
    try other.execute("UPDATE a SET y = 2 WHERE x = 2")
    let lent = Lent(other)
    let second = Background {
      do {
        try lent.value.execute("UPDATE a SET y = 2 WHERE x = 1")
        try lent.value.commit()
        return nil as PostgresError?
      } catch let error as PostgresError {
        lent.value.rollback()
        return error
      }
    }
    var first: PostgresError?
    do {
      try connection.execute("UPDATE a SET y = 1 WHERE x = 2")
      try connection.commit()
    } catch let error as PostgresError {
      connection.rollback()
      first = error
    }
    let errors = [first, try second.wait()].compactMap { $0 }
    #expect(errors.map(\.state) == [.deadlock])
    #expect(errors.map(\.repetition) == [.transaction])
    #expect(try connection.integer("SELECT count(DISTINCT y) FROM a") == 1)
  }

  @Test func aConflictOfSnapshotsCanBeRepeated() throws {
    try connection.execute("INSERT INTO a VALUES (1, 0)")
    try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    #expect(try connection.integer("SELECT y FROM a") == 0)
    try other.execute("UPDATE a SET y = 5")
    let error = failure { try connection.execute("UPDATE a SET y = y + 1") }
    #expect(error?.state == .serializationFailure)
    #expect(error?.repetition == .transaction)
    connection.rollback()
  }

  @Test func aLockThatIsHeldTooLongCanBeTriedAgain() throws {
    try connection.execute("INSERT INTO a VALUES (1, 0); SET lock_timeout = '100ms'")
    try other.begin(.write)
    try other.execute("UPDATE a SET y = 1")
    let error = failure { try connection.execute("UPDATE a SET y = 2") }
    #expect(error?.state == .lockNotAvailable)
    #expect(error?.repetition == .transaction)
    other.rollback()
  }

  @Test func aPoolerGetsTheLimitsWithEachTransaction() throws {
    let connection = try PostgresServer.shared.connect {
      $0.statements = .pooled
      $0.lockTimeout = .seconds(3)
    }
    #expect(try connection.values("SHOW lock_timeout") == [[.text("0")]])
    let inside = try connection.transaction { try connection.values("SHOW lock_timeout") }
    #expect(inside == [[.text("3s")]])
    #expect(try connection.values("SHOW lock_timeout") == [[.text("0")]])
  }
}
