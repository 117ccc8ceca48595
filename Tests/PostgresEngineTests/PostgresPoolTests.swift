import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import Testing

@Suite(.serialized, .enabled(if: PostgresServer.isAvailable))
struct PostgresPoolTests {
  func pool(
    _ server: PostgresServer, _ connections: Int = 2, wait: Duration = .seconds(30),
    checkAfter: Duration = .seconds(30)
  ) throws -> PostgresPool {
    var limits = PostgresPool.Limits()
    limits.connections = connections
    limits.waitLimit = wait
    limits.checkAfter = checkAfter
    var options = ConnectionOptions()
    options.cancellationGrace = .milliseconds(300)
    return try PostgresPool(server.parameters, options: options, limits: limits)
  }

  @Test func aReadInsideAWriteSeesItsChanges() throws {
    let pool = try pool(.shared)
    try pool.write { connection in
      try connection.begin(.write)
      try connection.execute("CREATE TEMPORARY TABLE own (x bigint)")
      #expect(try pool.read { try $0.integer("SELECT count(*) FROM own") } == 0)
      connection.rollback()
    }
    #expect(pool.openedCount == 1)
  }

  /// A thread that reads gets another connection to write, and reads there too from then on.
  @Test func usesOfOneThreadAreInsideEachOther() throws {
    let pool = try pool(.shared)
    try pool.read { reader in
      try pool.read { #expect($0 === reader) }
      try reader.begin(.snapshot)
      try pool.write { writer in
        #expect(writer !== reader)
        try pool.write { #expect($0 === writer) }
        try pool.read { #expect($0 === writer) }
        let other = Background { #expect(pool.isHeldByThread == false) }
        try other.wait()
      }
      // The end of an inner use rolls nothing back.
      try pool.read { #expect($0 === reader && $0.hasOpenTransaction) }
      #expect(pool.isHeldByThread)
      let error = failure { try pool.close() }
      #expect(error?.kind == .misuse)
    }
    #expect(!pool.isHeldByThread)
    try pool.read { #expect(!$0.hasOpenTransaction) }
    #expect(pool.openedCount == 2)
    try pool.close()
  }

  @Test func aLeaseKeepsTheConnectionUntilItsEnd() throws {
    let pool = try pool(.shared)
    let lease = try pool.lease()
    try pool.write { #expect($0 === lease.connection) }
    try lease.connection.begin(.write)
    lease.end()
    lease.end()
    // What was left open is rolled back.
    try pool.read { #expect(!$0.hasOpenTransaction) }
    #expect(pool.openedCount == 1)
  }

  @Test func whoWaitsInVainLearnsWhoHoldsTheConnections() throws {
    let pool = try pool(.shared, wait: .milliseconds(200))
    let (isHeld, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let holders = ["a long import", "a report"].map { work in
      Background {
        try pool.write(work) { _ in
          isHeld.signal()
          mayEnd.wait()
        }
      }
    }
    for _ in holders { isHeld.wait() }
    var error: PostgresError?
    let duration = time { error = failure { try pool.read("a fetch") { _ in } } }
    #expect(error?.kind == .busy)
    #expect(duration >= .milliseconds(190) && duration < .seconds(4))
    for text in ["a long import for", "a report for", "a fetch waited", "2 connections"] {
      #expect(error?.description.contains(text) == true)
    }
    for _ in holders { mayEnd.signal() }
    for holder in holders { try holder.wait() }
    #expect(try pool.read { try $0.integer("SELECT 1") } == 1)
  }

  @Test func manyThreadsShareFewConnections() throws {
    let pool = try pool(.shared, 3)
    try pool.write { try $0.execute("CREATE TABLE IF NOT EXISTS shared_count (x bigint)") }
    try pool.write {
      try $0.execute("DELETE FROM shared_count; INSERT INTO shared_count VALUES (0)")
    }
    let threads = (0..<12).map { _ in
      Background {
        for _ in 0..<20 {
          try pool.write { connection in
            _ = try connection.transaction {
              try connection.prepare("UPDATE shared_count SET x = x + 1").run()
            }
          }
        }
      }
    }
    for thread in threads { try thread.wait() }
    #expect(try pool.read { try $0.integer("SELECT x FROM shared_count") } == 240)
    #expect(pool.openedCount == 3)
  }

  /// A pool of four whose role may have two connections.
  private func limitedPool(
    wait: Duration = .seconds(30), growthPause: Duration = .seconds(5),
    reconnectLimit: Duration = .milliseconds(500), tracer: PostgresTracer? = nil
  ) throws -> (PostgresPool, role: String) {
    let role = "limited_" + UUID().uuidString.prefix(8).lowercased()
    try PostgresServer.shared.connect().execute("CREATE ROLE \(role) LOGIN CONNECTION LIMIT 2")
    var parameters = try PostgresServer.shared.parameters
    parameters["user"] = role
    var limits = PostgresPool.Limits()
    limits.connections = 4
    limits.waitLimit = wait
    limits.reconnectLimit = reconnectLimit
    limits.growthPause = growthPause
    var options = ConnectionOptions()
    options.tracer = tracer
    return (try PostgresPool(parameters, options: options, limits: limits), role)
  }

  /// A peak in which all connections are used.
  /// - Parameter count: The number of threads of the peak.
  private func peak(
    _ count: Int, of pool: PostgresPool, lasting duration: Double
  ) throws -> [PostgresError?] {
    let threads = (0..<count).map { _ in
      Background { () throws -> PostgresError? in
        do {
          try pool.read { _ in Thread.sleep(forTimeInterval: duration) }
          return nil
        } catch let error as PostgresError {
          return error
        }
      }
    }
    return try threads.map { try $0.wait() }
  }

  @Test func aConnectionThatTheServerRefusesIsReplacedByAnIdleOne() throws {
    let (pool, _) = try limitedPool()
    #expect(try peak(4, of: pool, lasting: 0.2).allSatisfy { $0 == nil })
    #expect(pool.openedCount == 2)
  }

  /// The others keep their connections for longer than a server that restarts is tried again.
  @Test func aRefusedCallWaitsForTheConnectionsOfOthers() throws {
    let (pool, _) = try limitedPool()
    #expect(try peak(5, of: pool, lasting: 1).allSatisfy { $0 == nil })
    #expect(pool.openedCount == 2)
    // A thread may use both.
    try pool.read { _ in try pool.write { _ in } }
    #expect(pool.openedCount == 2)
    try pool.close()
  }

  /// Busy threads take a free connection before one that asks for it now and then.
  @Test func aRefusedCallIsNotPassedByBusyThreads() throws {
    let (pool, _) = try limitedPool()
    let threads = (0..<6).map { _ in
      Background {
        for _ in 0..<50 { try pool.read { _ in Thread.sleep(forTimeInterval: 0.02) } }
      }
    }
    for thread in threads { try thread.wait() }
    #expect(pool.openedCount == 2)
  }

  /// Each waits for the connection of the other.
  @Test func oneOfTwoThreadsThatNeedOneMoreConnectionFailsSoon() throws {
    let (pool, _) = try limitedPool()
    let (isHeld, mayAsk) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let threads = (0..<2).map { _ in
      Background { () throws -> PostgresError? in
        try pool.read { _ in
          isHeld.signal()
          mayAsk.wait()
          do {
            try pool.write { _ in }
            return nil
          } catch let error as PostgresError {
            return error
          }
        }
      }
    }
    for _ in threads { isHeld.wait() }
    var errors: [PostgresError?] = []
    let duration = try time {
      for _ in threads { mayAsk.signal() }
      errors = try threads.map { try $0.wait() }
    }
    #expect(errors.compactMap(\.?.state) == [.tooManyConnections])
    #expect(duration < .seconds(5))
    #expect(try pool.read { try $0.integer("SELECT 1") } == 1)
    try pool.close()
  }

  /// A standby, in place of which another server can answer.
  @Test func aReplaceableServerThatRefusesIsNotWaitedFor() throws {
    let (pool, _) = try limitedPool(reconnectLimit: .zero)
    let (isHeld, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let holders = (0..<2).map { _ in
      Background {
        try pool.read { _ in
          isHeld.signal()
          mayEnd.wait()
        }
      }
    }
    for _ in holders { isHeld.wait() }
    // Also not after a refusal.
    for _ in 0..<2 {
      var error: PostgresError?
      let duration = time { error = failure { try pool.read { _ in } } }
      #expect(error?.state == .tooManyConnections)
      #expect(duration < .seconds(2))
    }
    for _ in holders { mayEnd.signal() }
    for holder in holders { try holder.wait() }
  }

  @Test func aCallThatIsRefusedAgainAndAgainNotesOneWait() throws {
    let waits = Collected<PostgresWait>()
    let tracer = PostgresTracer(note: { _ in }, noteWait: { waits.add($0) })
    let (pool, _) = try limitedPool(growthPause: .milliseconds(100), tracer: tracer)
    #expect(try peak(3, of: pool, lasting: 1.5).allSatisfy { $0 == nil })
    #expect(waits.all.count == 1)
    #expect(waits.all.allSatisfy { $0.duration > .seconds(1) && !$0.isTimedOut })
    // One that has all connections gives up to wait.
    try pool.read(for: UUID()) { _ in
      try pool.read(for: UUID()) { _ in
        #expect(failure { try pool.write { _ in } }?.state == .tooManyConnections)
      }
    }
    #expect(waits.all.count == 2)
  }

  @Test func aRefusedCallWaitsNoLongerThanOthers() throws {
    let (pool, _) = try limitedPool(wait: .milliseconds(700))
    var errors: [PostgresError?] = []
    let duration = try time { errors = try peak(3, of: pool, lasting: 2) }
    #expect(duration < .seconds(4))
    let error = try #require(errors.compactMap(\.self).first)
    #expect(error.kind == .busy)
    for text in ["a read waited", "a read for", "too many connections", "CONNECTION LIMIT"] {
      #expect(error.description.contains(text), "\(error)")
    }
  }

  /// No other thread can give back a connection.
  @Test func aThreadThatHasAllConnectionsLearnsTheReasonOfTheServerSoon() throws {
    let (pool, role) = try limitedPool()
    try PostgresServer.shared.connect().execute("ALTER ROLE \(role) CONNECTION LIMIT 1")
    var error: PostgresError?
    let duration = try time {
      try pool.read { _ in error = failure { try pool.write { _ in } } }
    }
    #expect(error?.state == .tooManyConnections)
    #expect(duration < .seconds(4))
    #expect(try pool.read { try $0.integer("SELECT 1") } == 1)
  }

  @Test func aPoolGrowsAgainSoonAfterARefusal() throws {
    let (pool, role) = try limitedPool(growthPause: .milliseconds(300))
    let (isHeld, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let holders = (0..<4).map { _ in
      Background {
        try pool.read { _ in
          isHeld.signal()
          mayEnd.wait()
        }
      }
    }
    for _ in 0..<2 { isHeld.wait() }
    #expect(isHeld.wait(timeout: .now() + 0.7) == .timedOut)
    try PostgresServer.shared.connect().execute("ALTER ROLE \(role) CONNECTION LIMIT 4")
    for _ in 0..<2 { #expect(isHeld.wait(timeout: .now() + 5) == .success) }
    for _ in holders { mayEnd.signal() }
    for holder in holders { try holder.wait() }
    #expect(pool.openedCount == 4)
  }

  @Test func aClosedPoolRefuses() throws {
    let pool = try pool(.shared)
    #expect(failure { try pool.read { _ in try pool.close() } }?.kind == .misuse)
    try pool.close()
    #expect(failure { try pool.read { _ in } }?.kind == .closed)
  }

  @Test func aKilledBackendCostsTheTransactionAndNoMore() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let pool = try pool(server)
    try pool.write { try $0.execute("CREATE TABLE a (x bigint)") }
    let error = failure {
      try pool.write { connection in
        try connection.begin(.write)
        try connection.execute("INSERT INTO a VALUES (1)")
        kill(connection.serverProcess, SIGKILL)
        try connection.execute("INSERT INTO a VALUES (2)")
      }
    }
    #expect(error?.kind == .connection)
    #expect(error?.isOutcomeUnknown == false)
    #expect(error?.repetition == .onNewConnection)
    // The server ends all other connections too, also one that is opened before it notices the crash.
    // Then it refuses connections until it has recovered.
    func count() throws -> Int64? { try pool.read { try $0.integer("SELECT count(*) FROM a") } }
    do {
      #expect(try count() == 0)
    } catch let error as PostgresError where error.repetition == .onNewConnection {
      #expect(try count() == 0)
    }
    #expect((2...3).contains(pool.openedCount))
  }

  @Test func aCommitWithoutAnAnswerMayHaveHappened() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let pool = try pool(server)
    try pool.write {
      try $0.execute(
        """
        CREATE TABLE a (x bigint);
        CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql
          AS $$ BEGIN PERFORM pg_sleep(5); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER late AFTER INSERT ON a DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION wait();
        """)
    }
    let error = failure {
      try pool.write { connection in
        try connection.begin(.write)
        try connection.execute("INSERT INTO a VALUES (1)")
        let process = connection.serverProcess
        let killer = Background {
          Thread.sleep(forTimeInterval: 0.3)
          kill(process, SIGKILL)
        }
        try connection.commit()
        try killer.wait()
      }
    }
    #expect(error?.kind == .connection)
    #expect(error?.isOutcomeUnknown == true)
    #expect(error?.repetition == .afterChecking)
    #expect(error?.description.contains("Read what is stored") == true)
  }

  @Test func anIdlePoolConnectsAgainAfterARestart() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let pool = try pool(server)
    let first = try pool.read { $0.serverProcess }
    try pool.read { _ = try $0.integer("SELECT 1::bigint") }
    try server.restart()
    #expect(try pool.read { try $0.integer("SELECT 1::bigint") } == 1)
    #expect(try pool.read { $0.serverProcess } != first)
    try server.restart("immediate")
    #expect(try pool.read { try $0.integer("SELECT 1::bigint") } == 1)
    #expect(pool.openedCount == 3)
  }

  @Test func aRestartDuringAStatementIsReportedWithItsReason() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let pool = try pool(server)
    let call = Background {
      failure { try pool.read { try $0.execute("SELECT pg_sleep(20)") } }
    }
    Thread.sleep(forTimeInterval: 0.3)
    try server.restart()
    let error = try call.wait()
    #expect(error?.kind == .connection)
    #expect(error?.state == .adminShutdown)
    #expect(error?.repetition == .onNewConnection)
    #expect(try pool.read { try $0.integer("SELECT 1") } == 1)
  }

  /// - Parameter isSnapshotEnding: Whether the answer to the end of a snapshot has not arrived either.
  @Test(arguments: [false, true])
  func anIdleConnectionThatNoLongerAnswersIsReplaced(_ isSnapshotEnding: Bool) throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let pool = try pool(server, checkAfter: .zero)
    // Only the process of the connection stops, as behind a network that forgot the connection.
    let process = try pool.read { connection in
      let process = connection.serverProcess
      if isSnapshotEnding {
        try connection.begin(.snapshot)
        _ = try connection.integer("SELECT 1")
      }
      kill(process, SIGSTOP)
      if isSnapshotEnding { try connection.commit() }
      return process
    }
    var answer: Int64?
    let duration = try time { answer = try pool.read { try $0.integer("SELECT 1") } }
    #expect(answer == 1)
    #expect(duration < .seconds(10))
    #expect(pool.openedCount == 2)
    kill(process, SIGCONT)
  }

  /// After a failover, an address with several hosts may lead to the new primary server.
  @Test func aConnectionToAStandbyIsReplacedAfterAWrite() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let standby = try PostgresStandby(of: server, port: 5433)
    for kind in [TransactionKind.write, .serializableWrite] {
      for defers in [false, true] {
        let pool = try PostgresPool(standby.parameters) { $0.defersStatements = defers }
        let error = failure {
          try pool.write { connection in
            try connection.begin(kind)
            try connection.execute("SELECT 1")
          }
        }
        #expect(error?.state == .readOnlyTransaction)
        #expect(error?.description.contains("target_session_attrs=read-write") == true)
        #expect(try pool.read { try $0.integer("SELECT 1") } == 1)
        #expect(pool.openedCount == 2)
      }
    }
  }
}
