import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import Testing

@Suite(.serialized, .enabled(if: PostgresServer.isAvailable))
struct TimeLimitTests {
  @Test func theServerEndsAStatementThatRunsTooLong() throws {
    let connection = try PostgresServer.shared.connect { $0.statementTimeout = .milliseconds(200) }
    var error: PostgresError?
    let duration = time { error = failure { try connection.execute("SELECT pg_sleep(5)") } }
    #expect(error?.kind == .timeout)
    #expect(error?.state == .queryCanceled)
    #expect(error?.isOutcomeUnknown == false)
    #expect(duration > .milliseconds(150) && duration < .seconds(4))
    #expect(try connection.integer("SELECT 1") == 1)
  }

  /// Behind a pooler a statement outside of a transaction has the limit of its role.
  @Test func theLimitOfARoleIsATimeLimit() throws {
    let connection = try PostgresServer.shared.connect { $0.statements = .pooled }
    try connection.execute("SET statement_timeout = '200ms'")
    let error = failure { try connection.execute("SELECT pg_sleep(60)") }
    #expect(error?.kind == .timeout && error?.state == .queryCanceled)
  }

  @Test(arguments: [ConnectionOptions.Statements.pooled, .prepared(256)])
  func anAdministratorCancelsAStatement(_ statements: ConnectionOptions.Statements) throws {
    let connection = try PostgresServer.shared.connect { $0.statements = statements }
    let process = connection.serverProcess
    let lent = Lent(connection)
    let call = Background { failure { try lent.value.execute("SELECT pg_sleep(60)") } }
    let other = try PostgresServer.shared.connect()
    let cancel = try other.prepare(
      """
      SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity \
      WHERE pid = \(process) AND state = 'active'
      """)
    while try cancel.integer() == 0 { Thread.sleep(forTimeInterval: 0.01) }
    #expect(try call.wait()?.kind == .cancelled)
  }

  @Test func aCallHasItsOwnLimitAndTheConnectionStaysUsable() throws {
    let connection = try PostgresServer.shared.connect()
    for _ in 0..<10 {
      let statement = try connection.prepare("SELECT pg_sleep(5)")
      let error = failure { try statement.run(within: .milliseconds(50)) }
      #expect(error?.kind == .timeout)
      #expect(error?.state == .queryCanceled)
      // A cancellation that arrives late must not hit the next statement.
      for _ in 0..<5 { #expect(try connection.integer("SELECT 1") == 1) }
    }
    #expect(connection.isOpen)
  }

  @Test func aTimeOutAbortsTheTransaction() throws {
    let connection = try PostgresServer.shared.connect()
    try connection.begin(.write)
    let statement = try connection.prepare("SELECT pg_sleep(5)")
    #expect(failure { try statement.run(within: .milliseconds(50)) }?.kind == .timeout)
    #expect(failure { try connection.execute("SELECT 1") }?.state == .failedTransaction)
    connection.rollback()
    #expect(try connection.integer("SELECT 1") == 1)
  }

  @Test func theErrorOfALockSaysWherePreparedTransactionsAre() throws {
    let connection = try PostgresServer.shared.connectToNewSchema {
      $0.lockTimeout = .milliseconds(200)
    }
    let name = PostgresConnection.literal("\(UUID())")
    try connection.execute("CREATE TABLE a (x bigint)")
    try connection.execute("BEGIN; LOCK TABLE a; PREPARE TRANSACTION \(name)")
    let error = failure { try connection.execute("INSERT INTO a VALUES (1)") }
    #expect(error?.state == .lockNotAvailable)
    #expect(error?.description.contains("pg_prepared_xacts") == true)
    try connection.execute("ROLLBACK PREPARED \(name)")
    try connection.execute("INSERT INTO a VALUES (1)")
  }

  @Test func anotherThreadCancelsACall() throws {
    let connection = try PostgresServer.shared.connect()
    let lent = Lent(connection)
    let start = ContinuousClock.now
    let call = Background { failure { try lent.value.execute("SELECT pg_sleep(5)") } }
    Thread.sleep(forTimeInterval: 0.2)
    connection.cancel()
    let error = try call.wait()
    #expect(error?.kind == .cancelled)
    #expect(ContinuousClock.now - start < .seconds(4))
    #expect(try connection.integer("SELECT 1") == 1)
    // A cancellation that comes when nothing runs has no effect.
    connection.cancel()
    Thread.sleep(forTimeInterval: 0.2)
    #expect(try connection.integer("SELECT 1") == 1)
  }

  @Test func aPausedServerDoesNotHoldACallLongerThanItsLimit() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let connection = try server.connect {
      $0.statementTimeout = .milliseconds(400)
      $0.cancellationGrace = .milliseconds(300)
    }
    try connection.execute("CREATE TABLE a (x bigint)")
    let insert = try connection.prepare("INSERT INTO a VALUES (1)")
    let processes = [connection.serverProcess]
    server.pause(connection)
    var error: PostgresError?
    var duration = time { error = failure { try insert.run() } }
    #expect(error?.kind == .timeout)
    // Nobody knows whether the server had already stored the row.
    #expect(error?.isOutcomeUnknown == true)
    #expect(error?.repetition == .afterChecking)
    #expect(duration > .milliseconds(350) && duration < .seconds(4))
    #expect(!connection.isOpen)
    duration = time { #expect(failure { try insert.run() }?.kind == .connection) }
    #expect(duration < .seconds(4))
    var options = ConnectionOptions()
    options.connectTimeout = .milliseconds(300)
    duration = time {
      #expect(
        failure { _ = try PostgresConnection(server.parameters, options: options) }?.kind
          == .timeout)
    }
    #expect(duration < .seconds(4))
    server.resume(processes)
    #expect(try server.connect().integer("SELECT 1") == 1)
  }
}
