import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import Testing

/// What became of a transaction whose connection was lost during the commit.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct CommitOutcomeTests {
  private static func proof(_ values: [Double]) -> CommitProof {
    CommitProof(
      "SELECT count(*) FROM proofs WHERE value = ANY($1::double precision[])",
      alternatives: values.map(PostgresValue.double))
  }

  /// The number of a transaction of `connection` that inserts a value.
  private func begin(_ connection: PostgresConnection, inserting value: Double) throws -> Int64 {
    try connection.begin(.write)
    try connection.execute("INSERT INTO proofs VALUES (\(value))")
    return try #require(try connection.prepare("SELECT txid_current()").integer())
  }

  @Test func aTransactionIsKnownByNumberAndRows() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let connection = try server.connect()
    try connection.execute("CREATE TABLE proofs (value double precision)")
    let outcome = CommitOutcome(server.parameters, ConnectionOptions())
    let committed = try begin(connection, inserting: 0.1)
    try connection.commit()
    let aborted = try begin(connection, inserting: 0.2)
    connection.rollback()
    #expect(outcome.find(.number(committed, nil), within: .zero) == true)
    #expect(outcome.find(.number(committed, Self.proof([0.1])), within: .zero) == true)
    // A part that was rolled back to a savepoint.
    #expect(outcome.find(.number(committed, Self.proof([0.3, 0.1])), within: .zero) == true)
    #expect(outcome.find(.number(aborted, Self.proof([0.2])), within: .zero) == false)
    let running = try begin(connection, inserting: 0.4)
    #expect(outcome.find(.number(running, Self.proof([0.4])), within: .zero) == nil)
  }

  /// Each save of a transaction appends one.
  @Test func theProofOfManyPartsIsNotCopied() throws {
    let connection = try PostgresServer.shared.connect()
    connection.commitProof = Self.proof([0.1])
    connection.commitProof?.alternatives?.reserveCapacity(100)
    func address() -> UnsafeRawPointer? {
      connection.commitProof?.alternatives?.withUnsafeBytes(\.baseAddress)
    }
    let before = try #require(address())
    for number in 0..<50 { connection.commitProof?.alternatives?.append(.double(Double(number))) }
    #expect(address() == before)
  }

  /// The process of the server may have statements that it has not begun: it is ended before the rows are
  /// looked for.
  @Test func aTransactionThatWasSentAtOnceIsKnownByItsRows() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let connection = try server.connect()
    try connection.execute("CREATE TABLE proofs (value double precision)")
    func process(_ connection: PostgresConnection, later: Int64 = 0) throws -> ServerProcess {
      let started = try connection.prepare(
        """
        SELECT (extract(epoch FROM backend_start) * 1000000)::bigint FROM pg_stat_activity \
        WHERE pid = pg_backend_pid()
        """
      ).integer()
      return ServerProcess(
        number: Int64(connection.serverProcess), started: try #require(started) + later)
    }
    let outcome = CommitOutcome(server.parameters, ConnectionOptions())
    let other = try server.connect()
    try other.execute("INSERT INTO proofs VALUES (0.1)")
    // A later process with the same number is not ended.
    let earlier = try process(other, later: -1)
    #expect(outcome.find(.sentAtOnce(earlier, Self.proof([0.1])), within: .zero) == true)
    #expect(outcome.find(.sentAtOnce(earlier, Self.proof([0.2])), within: .zero) == false)
    #expect(try other.prepare("SELECT 1").integer() == 1)
    let ended = try process(connection)
    _ = try begin(connection, inserting: 0.3)
    #expect(outcome.find(.sentAtOnce(ended, Self.proof([0.3])), within: .zero) == nil)
    #expect(outcome.find(.sentAtOnce(ended, Self.proof([0.3])), within: .seconds(9)) == false)
    #expect(throws: PostgresError.self) { try connection.commit() }
  }

  /// The server gives the number of a transaction that a crash has lost to another one.
  @Test func aTransactionThatACrashHasLostIsNotTakenForAnotherOne() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    var connection = try server.connect()
    try connection.execute("CREATE TABLE proofs (value double precision); CHECKPOINT")
    // Nothing with its number reaches the log.
    try connection.begin(.write)
    let lost = try #require(try connection.prepare("SELECT txid_current()").integer())
    try server.restart("immediate")
    let outcome = CommitOutcome(server.parameters, ConnectionOptions())
    #expect(outcome.find(.number(lost, Self.proof([0.1])), within: .zero) == false)
    connection = try server.connect()
    var last: Int64 = 0
    while last < lost {
      try connection.transaction {
        try connection.execute("INSERT INTO proofs VALUES (0.2)")
        last = try connection.prepare("SELECT txid_current()").integer() ?? .max
      }
    }
    #expect(last == lost)
    #expect(outcome.find(.number(lost, nil), within: .zero) == true)
    #expect(outcome.find(.number(lost, Self.proof([0.1])), within: .zero) == false)
  }

  /// A standby has the number later.
  @Test func aStandbyKnowsNothing() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let connection = try server.connect()
    try connection.execute("CREATE TABLE proofs (value double precision)")
    let standby = try PostgresStandby(of: server, port: 5433)
    try standby.pauseReplay()
    let committed = try begin(connection, inserting: 0.1)
    try connection.commit()
    let outcome = CommitOutcome(standby.parameters, ConnectionOptions())
    #expect(outcome.find(.number(committed, Self.proof([0.1])), within: .zero) == nil)
    try standby.promote()
    #expect(outcome.find(.number(committed, nil), within: .seconds(10)) != nil)
  }

  @Test func theNextHostIsAskedAfterOneThatIsSilent() throws {
    let silent = try FakeServer { _ in Thread.sleep(forTimeInterval: 20) }
    let server = try PostgresServer()
    defer { server.stop() }
    let connection = try server.connect()
    try connection.execute("CREATE TABLE proofs (value double precision)")
    let committed = try begin(connection, inserting: 0.1)
    try connection.commit()
    var parameters = server.parameters
    parameters["host"] = "127.0.0.1,\(server.socketFolder)"
    parameters["port"] = "\(silent.port),5432"
    let outcome = CommitOutcome(parameters, ConnectionOptions())
    #expect(outcome.find(.number(committed, nil), within: .zero) == true)
  }
}
