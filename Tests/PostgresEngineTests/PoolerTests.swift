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

  @Test func settingsOfASessionAreRefusedClearly() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let parameters = try server.startPooler()
    let error = failure { _ = try PostgresConnection(parameters) }
    #expect(error?.kind == .connection)
    #expect(error?.description.contains("options") == true)
  }
}
