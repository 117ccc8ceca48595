import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import Testing

/// Statements that wait for the next one of a transaction.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct DeferralTests {
  let connection: PostgresConnection
  let insert: PostgresStatement

  init() throws {
    connection = try PostgresServer.shared.connectToNewSchema()
    try connection.execute("CREATE TABLE a (x bigint PRIMARY KEY)")
    insert = try connection.prepare("INSERT INTO a VALUES ($1)")
    connection.defersStatements = true
  }

  private var count: Int64? { get throws { try connection.integer("SELECT count(*) FROM a") } }

  private func insertLater(_ number: Int64) throws {
    try insert.bind(.integer(number))
    try insert.runLater()
  }

  @Test func aTransactionOfStatementsWithoutResultsIsOneRoundTrip() throws {
    // The begin is prepared once.
    try connection.transaction {}
    let trips = connection.roundTrips
    try connection.transaction {
      for number in 0..<10 as Range<Int64> { try insertLater(number) }
    }
    #expect(connection.roundTrips == trips + 1)
    #expect(try count == 10)
  }

  @Test func aStatementWithAResultSeesTheOnesBefore() throws {
    _ = try count
    try connection.transaction {
      let trips = connection.roundTrips
      try insertLater(1)
      #expect(try count == 1)
      #expect(connection.roundTrips == trips + 1)
      try insertLater(2)
      try insert.runBatch(300) { try $1.bind(Int64($0 + 10), at: 1) }
      #expect(connection.roundTrips == trips + 2)
      #expect(try count == 302)
    }
    #expect(!connection.hasOpenTransaction)
    #expect(try count == 302)
  }

  @Test func theErrorOfADeferredStatementIsThrownByTheNextOne() throws {
    try connection.execute("INSERT INTO a VALUES (1)")
    let read = try connection.prepare("SELECT count(*) FROM a")
    try connection.begin(.write)
    try insertLater(1)
    let error = failure { _ = try read.integer() }
    #expect(error?.isUniquenessViolation == true)
    #expect(error?.sql == insert.sql)
    #expect(failure { _ = try read.integer() }?.causes.first?.isUniquenessViolation == true)
    connection.rollback()
    #expect(try count == 1)
  }

  @Test func aCommitReportsTheErrorOfADeferredStatement() throws {
    try connection.execute("INSERT INTO a VALUES (1)")
    let error = failure {
      try connection.transaction {
        try insertLater(2)
        try insertLater(1)
        try insertLater(3)
      }
    }
    #expect(error?.isUniquenessViolation == true)
    #expect(error?.isOutcomeUnknown == false)
    #expect(!connection.hasOpenTransaction)
    #expect(try count == 1)
  }

  @Test func aRollbackBeforeTheFirstStatementSendsNothing() throws {
    try connection.transaction {}
    let trips = connection.roundTrips
    try connection.begin(.write)
    try insertLater(1)
    #expect(connection.hasOpenTransaction)
    connection.rollback()
    #expect(!connection.hasOpenTransaction)
    #expect(connection.roundTrips == trips)
    #expect(try count == 0)
  }

  @Test(arguments: [false, true])
  func aSavepointIsUndoneWhetherOrNotItWasSent(_ isSent: Bool) throws {
    struct Stop: Error {}
    try connection.transaction {
      try insertLater(1)
      #expect(throws: Stop.self) {
        try connection.savepoint("s") {
          try insertLater(2)
          if isSent { #expect(try count == 2) }
          try insertLater(3)
          throw Stop()
        }
      }
      try insertLater(4)
      #expect(try count == 2)
    }
    #expect(try connection.values("SELECT x FROM a ORDER BY x") == [[.integer(1)], [.integer(4)]])
  }

  @Test func aFailedLockIsReportedByTheFirstStatement() throws {
    connection.preambles[.write] = ["LOCK TABLE a IN SHARE ROW EXCLUSIVE MODE NOWAIT"]
    let schema = try connection.values("SELECT current_schema()::text")
    guard case .text(let name)? = schema.first?.first else { throw CancellationError() }
    let other = try PostgresServer.shared.connect()
    try other.execute("BEGIN; LOCK TABLE \(name).a IN SHARE ROW EXCLUSIVE MODE")
    let error = failure {
      try connection.transaction {
        try connection.savepoint("s") {
          try insertLater(1)
          _ = try count
        }
      }
    }
    #expect(error?.state == .lockNotAvailable)
    try other.execute("ROLLBACK")
    try connection.transaction { try insertLater(1) }
    #expect(try count == 1)
  }

  @Test func queriesOfAPreambleArePreparedOnce() throws {
    connection.preambles[.write] = ["LOCK TABLE a IN SHARE MODE", "SELECT txid_current()"]
    try connection.transaction { try insertLater(1) }
    let prepared = connection.preparedCount
    for number in 2...4 { try connection.transaction { try insertLater(Int64(number)) } }
    #expect(connection.preparedCount == prepared)
    #expect(try count == 4)
  }

  /// The server may lose its prepared statements, as behind a pooler.
  @Test func aForgottenQueryOfAPreambleIsPreparedAgain() throws {
    connection.preambles[.write] = ["SELECT txid_current()"]
    try connection.transaction { try insertLater(1) }
    try connection.execute("DEALLOCATE ALL")
    let error = failure { try connection.transaction { try connection.execute("SELECT 1") } }
    #expect(error?.repetition == .transaction)
    let rounds = connection.preparedCount
    try connection.transaction { try connection.execute("SELECT 1") }
    #expect(connection.preparedCount > rounds)
  }

  @Test func borrowedValuesAreCopied() throws {
    try connection.execute("CREATE TABLE b (y bytea)")
    let insert = try connection.prepare("INSERT INTO b VALUES ($1)")
    let read = try connection.prepare("SELECT y FROM b")
    try connection.begin(.write)
    do {
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
      defer { memory.deallocate() }
      memory.initializeMemory(as: UInt8.self, repeating: 7)
      try insert.parameters.bind(borrowedBytes: UnsafeRawBufferPointer(memory), at: 1)
      try insert.runLater()
      memory.initializeMemory(as: UInt8.self, repeating: 9)
    }
    #expect(try read.values() == [[.bytes(Data(repeating: 7, count: 100))]])
    try connection.commit()
  }

  @Test func manyDeferredStatementsAreSentInParts() throws {
    try connection.transaction {
      for number in 0..<1000 as Range<Int64> { try insertLater(number) }
    }
    #expect(try count == 1000)
  }
}
