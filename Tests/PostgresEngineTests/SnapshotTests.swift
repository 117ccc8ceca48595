import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import Testing

/// Reads of one state: what they cost, and what becomes of their end, for which nobody waits.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct SnapshotTests {
  let connection: PostgresConnection
  let other: PostgresConnection

  init() throws {
    connection = try PostgresServer.shared.connectToNewSchema()
    try connection.execute("CREATE TABLE a (x bigint); INSERT INTO a VALUES (1)")
    other = try connection.another()
    try connection.snapshot { _ = try count() }
  }

  func count() throws -> Int64? { try connection.integer("SELECT count(*) FROM a") }

  @Test func readsOfOneStateAreOneRoundTripEach() throws {
    for reads in 0...3 {
      let trips = connection.roundTrips
      try connection.snapshot {
        for _ in 0..<reads { _ = try count() }
      }
      #expect(connection.roundTrips == trips + reads)
      #expect(!connection.hasOpenTransaction)
    }
  }

  @Test func theFirstReadDeterminesTheState() throws {
    try connection.snapshot {
      try other.execute("INSERT INTO a VALUES (2)")
      #expect(try count() == 2)
      try other.execute("INSERT INTO a VALUES (3)")
      #expect(try count() == 2)
    }
    #expect(try count() == 3)
  }

  @Test func anythingCanFollowASnapshotAtOnce() throws {
    for number in 2...40 as ClosedRange<Int64> {
      let found = try connection.snapshot { try count() }
      #expect(found == number - 1)
      switch number % 4 {
      case 0: try connection.execute("INSERT INTO a VALUES (0)")
      case 1: try connection.transaction { try connection.execute("INSERT INTO a VALUES (0)") }
      case 2:
        let insert = try connection.prepare("INSERT INTO a VALUES ($1)")
        try connection.transaction { try insert.runBatch(1) { try $1.bind(Int64(0), at: 1) } }
      default:
        try connection.beginEnclosing()
        try connection.execute("INSERT INTO a VALUES (0)")
        try connection.commitEnclosing()
      }
    }
    #expect(try count() == 40)
  }

  @Test func anErrorInASnapshotEndsIt() throws {
    for _ in 0..<3 {
      let error = failure { try connection.snapshot { _ = try connection.integer("SELECT 1/0") } }
      #expect(error?.state == "22012")
      #expect(!connection.hasOpenTransaction)
      #expect(try count() == 1)
    }
  }

  @Test func nothingCanBeWrittenInASnapshot() throws {
    let error = failure {
      try connection.snapshot { try connection.execute("INSERT INTO a VALUES (2)") }
    }
    #expect(error?.state == "25006")
    #expect(try count() == 1)
  }

  @Test func aSnapshotLeavesNoOpenTransactionOnTheServer() throws {
    try connection.snapshot { _ = try count() }
    let process = connection.serverProcess
    // The end was sent, although nothing waited for it.
    func isIdle() throws -> Bool {
      try other.values("SELECT state FROM pg_stat_activity WHERE pid = \(process)")
        == [[.text("idle")]]
    }
    let deadline = ContinuousClock.now + .seconds(10)
    while try !isIdle(), ContinuousClock.now < deadline { Thread.sleep(forTimeInterval: 0.01) }
    #expect(try isIdle())
  }

  @Test func aConnectionThatIsLostAfterASnapshotIsReplaced() throws {
    var limits = PostgresPool.Limits()
    limits.connections = 2
    let pool = try PostgresPool(PostgresServer.shared.parameters, limits: limits)
    for pause in [0, 0.2] {
      let process = try pool.read { connection in
        try connection.snapshot { _ = try connection.integer("SELECT 1::bigint") }
        return connection.serverProcess
      }
      Thread.sleep(forTimeInterval: pause)
      #expect(try other.values("SELECT pg_terminate_backend(\(process))") == [[.boolean(true)]])
      Thread.sleep(forTimeInterval: 0.3)
      try pool.read { connection in
        #expect(connection.serverProcess != process)
        _ = try connection.snapshot { try connection.integer("SELECT 1::bigint") }
      }
    }
    #expect(pool.openedCount == 3)
  }

  @Test func aCancellationDuringTheEndOfASnapshotIsNotLost() throws {
    let connection = try PostgresServer.shared.connect { $0.cancellationGrace = .seconds(5) }
    let process = connection.serverProcess
    try connection.begin(.snapshot)
    _ = try connection.integer("SELECT 1::bigint")
    kill(process, SIGSTOP)
    try connection.commit()
    let lent = Lent(connection)
    let call = Background { failure { try lent.value.execute("SELECT pg_sleep(20)") } }
    Thread.sleep(forTimeInterval: 0.3)
    connection.cancel()
    Thread.sleep(forTimeInterval: 0.3)
    kill(process, SIGCONT)
    let start = ContinuousClock.now
    #expect(try call.wait()?.kind == .cancelled)
    #expect(ContinuousClock.now - start < .seconds(10))
  }

  @Test func aServerThatDoesNotAnswerTheEndIsReported() throws {
    var options = ConnectionOptions()
    options.statementTimeout = .milliseconds(300)
    options.cancellationGrace = .milliseconds(200)
    let connection = try PostgresConnection(PostgresServer.shared.parameters, options: options)
    try connection.snapshot { _ = try connection.integer("SELECT 1::bigint") }
    _ = try connection.integer("SELECT 1::bigint")
    try connection.begin(.snapshot)
    _ = try connection.integer("SELECT 1::bigint")
    let process = connection.serverProcess
    kill(process, SIGSTOP)
    defer { kill(process, SIGCONT) }
    try connection.commit()
    let start = ContinuousClock.now
    let error = failure { try connection.execute("INSERT INTO a VALUES (5)") }
    #expect(error?.kind == .timeout)
    #expect(error?.isOutcomeUnknown == false)
    #expect(ContinuousClock.now - start < .seconds(10))
    #expect(!connection.isOpen)
  }
}
