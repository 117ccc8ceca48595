import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import Testing

/// Behind PgBouncer each transaction may run in another process of the server.
@Suite(.enabled(if: PostgresServer.isAvailable && PostgresServer.hasPooler))
struct PoolerTests {
  @Test func unnamedStatementsWorkWhileConnectionsChange() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    try server.connect().execute(
      "CREATE TABLE a (x bigint PRIMARY KEY, y bigint); INSERT INTO a SELECT i, 0 FROM generate_series(0, 5) i"
    )
    var options = ConnectionOptions()
    options.statements = .pooled
    var limits = PostgresPool.Limits()
    limits.connections = 6
    let pool = try PostgresPool(try server.startPooler(), options: options, limits: limits)
    let threads = (0..<6).map { number in
      Background {
        var processes: Set<Int64> = []
        for _ in 0..<30 {
          try pool.write { connection in
            try connection.transaction {
              let update = try connection.prepare("UPDATE a SET y = y + $1 WHERE x = $2")
              try update.bind(.integer(1), .integer(Int64(number)))
              #expect(try update.run() == 1)
              processes.insert(try connection.integer("SELECT pg_backend_pid()") ?? 0)
            }
            try connection.prepare("UPDATE a SET y = y + 1 WHERE x = $1").runBatch(6) {
              try $1.bind(Int64($0), at: 1)
            }
          }
          let count = try pool.read {
            try $0.integer("SELECT count(*) FROM a WHERE y >= $1", .integer(0))
          }
          #expect(count == 6)
        }
        return processes
      }
    }
    let processes = try threads.map { try $0.wait() }
    // Otherwise the pooler changed nothing, and this test shows nothing.
    #expect(processes.contains { $0.count == 2 })
    let sum: Int64 = 180 + 1080
    #expect(try pool.read { try $0.integer("SELECT sum(y) FROM a") } == sum)
    #expect(pool.openedCount == 6)
  }

  /// A pooler with two connections to the server, which keeps one for each connection of a program.
  private func sessionPool(
    _ server: PostgresServer, timeout: String, wait: Duration = .seconds(30),
    reconnectLimit: Duration = .milliseconds(200)
  ) throws -> PostgresPool {
    var parameters = try server.startPooler()
    parameters["dbname"] = "session"
    parameters["connect_timeout"] = timeout
    var options = ConnectionOptions()
    options.statements = .pooled
    options.cancellationGrace = .milliseconds(300)
    var limits = PostgresPool.Limits()
    limits.connections = 4
    limits.waitLimit = wait
    limits.reconnectLimit = reconnectLimit
    return try PostgresPool(parameters, options: options, limits: limits)
  }

  /// Holds two connections of the pool, and asks for one more.
  private func askForOneMore(
    _ pool: PostgresPool, while body: () throws -> Void,
    afterwards: () throws -> Void = {}
  ) throws -> PostgresError? {
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
    let call = Background { () throws -> PostgresError? in
      do {
        #expect(try pool.read { try $0.integer("SELECT 1") } == 1)
        return nil
      } catch let error as PostgresError {
        return error
      }
    }
    try body()
    for _ in holders { mayEnd.signal() }
    for holder in holders { try holder.wait() }
    try afterwards()
    return try call.wait()
  }

  @Test func aPoolerWithoutAFreeServerConnectionIsGivenUpInTime() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let pool = try sessionPool(server, timeout: "1", wait: .seconds(2))
    var error: PostgresError?
    let duration = try time {
      error = try askForOneMore(pool) { Thread.sleep(forTimeInterval: 4) }
    }
    #expect(error?.kind == .busy)
    #expect(error?.description.contains("default_pool_size") == true)
    #expect(duration < .seconds(15))
    // Calls that follow have the connections that are open.
    for _ in 0..<3 { #expect(try pool.read { try $0.integer("SELECT 1") } == 1) }
    #expect(pool.openedCount == 2)
    try pool.close()
  }

  /// A standby, in place of which another server can answer.
  @Test func nobodyWaitsForAReplaceableServerThatDoesNotAnswer() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let pool = try sessionPool(server, timeout: "1", reconnectLimit: .zero)
    let error = try askForOneMore(pool) { Thread.sleep(forTimeInterval: 3) }
    #expect(error?.kind == .timeout)
    #expect(pool.openedCount == 2)
  }

  /// Only the calls of the beginning ask the pooler in vain.
  @Test func callsWaitForTheConnectionsThatThePoolerAllows() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let pool = try sessionPool(server, timeout: "1")
    let slow = Collected<Duration>()
    let threads = (0..<4).map { _ in
      Background {
        for _ in 0..<250 {
          let start = ContinuousClock.now
          try pool.read { _ in Thread.sleep(forTimeInterval: 0.01) }
          let time = ContinuousClock.now - start
          if time >= .milliseconds(900) { slow.add(time) }
        }
      }
    }
    for thread in threads { try thread.wait() }
    #expect(pool.openedCount == 2)
    #expect(slow.all.count <= 4, "\(slow.all)")
  }

  @Test func aCallThatThePoolerKeepsWaitingGoesOnWithAnIdleConnection() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let pool = try sessionPool(server, timeout: "1")
    #expect(try askForOneMore(pool) { Thread.sleep(forTimeInterval: 0.3) } == nil)
    #expect(pool.openedCount == 2)
  }

  /// The pooler serves the call when an idle connection is closed.
  @Test func aClosedPoolDoesNotWaitForAPoolerThatWaitsForIt() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let pool = try sessionPool(server, timeout: "60")
    var duration = Duration.zero
    let error = try askForOneMore(
      pool, while: { Thread.sleep(forTimeInterval: 0.3) },
      afterwards: { duration = try time { try pool.close() } })
    #expect(error == nil)
    #expect(duration < .seconds(10))
  }

  @Test func settingsOfASessionAreRefusedClearly() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let parameters = try server.startPooler()
    let error = failure { _ = try PostgresConnection(parameters) }
    #expect(error?.kind == .connection)
    #expect(error?.description.contains("options") == true)
  }
}
