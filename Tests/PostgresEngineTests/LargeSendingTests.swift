import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import Testing

/// Statements with values that are sent in many parts.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct LargeSendingTests {
  private var options: ConnectionOptions {
    var options = ConnectionOptions()
    options.statementTimeout = .seconds(1)
    options.cancellationGrace = .milliseconds(300)
    return options
  }

  /// A connection to a server that prepares a statement with a parameter of the type `bytea`.
  /// - Parameter serve: What the server does with the values.
  private func connect(
    _ options: ConnectionOptions, _ serve: @escaping @Sendable (FakeServer.Client) -> Void
  ) throws -> (FakeServer, PostgresConnection, PostgresStatement) {
    let server = try FakeServer { client in
      client.accept()
      client.receive()
      client.send("1")
      client.send("t", [0, 1] + client.word(17))
      client.send("n")
      client.send("Z", [UInt8(ascii: "I")])
      serve(client)
    }
    let connection = try PostgresConnection(server.parameters, options: options)
    return (server, connection, try connection.prepare("UPDATE a SET x = $1"))
  }

  @Test func theTimeIsLinearInTheSize() throws {
    let connection = try PostgresServer.shared.connectToNewSchema()
    try connection.execute(
      """
      CREATE TABLE a (x bytea); ALTER TABLE a ALTER x SET STORAGE EXTERNAL; \
      INSERT INTO a VALUES (NULL)
      """)
    let update = try connection.prepare("UPDATE a SET x = $1")
    try update.bind(.bytes(Data(repeating: 1, count: 150 << 20)))
    let processor = try processorTime { _ = try update.run() }
    // Moving the rest after each partial write takes 3 s and more.
    #expect(processor < .seconds(1))
    #expect(try connection.integer("SELECT length(x) FROM a") == 150 << 20)
  }

  private func processorTime(_ body: () throws -> Void) rethrows -> Duration {
    func now() -> Duration {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let start = now()
    try body()
    return now() - start
  }

  @Test func theLimitDoesNotRunWhileTheServerTakesTheValue() throws {
    let size = 48 << 20
    let (server, connection, update) = try connect(options) { client in
      // What is in the buffers of the sockets counts as taken.
      var buffer: Int32 = 1 << 20
      setsockopt(client.socket, SOL_SOCKET, SO_RCVBUF, &buffer, 4)
      var count = 0
      while count < size {
        for _ in 0..<32 where count < size { count += client.receive().count }
        if count < size / 2 { Thread.sleep(forTimeInterval: 0.02) }
      }
      client.send("2")
      client.send("C", Array("UPDATE 1\0".utf8))
      client.send("Z", [UInt8(ascii: "I")])
      client.receive()
    }
    try update.bind(.bytes(Data(count: size)))
    var changed = 0
    let duration = try time { changed = try update.run() }
    #expect(changed == 1)
    #expect(duration > .milliseconds(1500))
    #expect(connection.isOpen)
    withExtendedLifetime(server) {}
  }

  @Test func theLimitRunsWhileTheServerTakesNothing() throws {
    let (server, connection, update) = try connect(options) { client in
      client.receive()
      Thread.sleep(forTimeInterval: 8)
    }
    try update.bind(.bytes(Data(count: 32 << 20)))
    var error: PostgresError?
    let duration = time { error = failure { try update.run() } }
    #expect(error?.kind == .timeout)
    #expect(error?.message.contains("took nothing of a large value within 1.") == true)
    #expect(duration > .milliseconds(900) && duration < .seconds(5))
    #expect(!connection.isOpen)
    withExtendedLifetime(server) {}
  }

  @Test func theLimitRunsAfterTheServerHasTakenTheValue() throws {
    let connection = try PostgresServer.shared.connect { $0.statementTimeout = .milliseconds(500) }
    let sleep = try connection.prepare("SELECT pg_sleep(60) WHERE length($1::bytea) > 0")
    try sleep.bind(.bytes(Data(count: 32 << 20)))
    var error: PostgresError?
    let duration = time { error = failure { try sleep.run() } }
    #expect(error?.kind == .timeout && error?.state == .queryCanceled)
    #expect(duration < .seconds(5))
  }

  @Test func anotherThreadCancelsTheSending() throws {
    var options = options
    options.statementTimeout = .seconds(60)
    let (server, connection, update) = try connect(options) { client in
      client.receive()
      Thread.sleep(forTimeInterval: 8)
    }
    try update.bind(.bytes(Data(count: 32 << 20)))
    let lent = Lent(update)
    let start = ContinuousClock.now
    let call = Background { failure { try lent.value.run() } }
    Thread.sleep(forTimeInterval: 0.5)
    connection.cancel()
    #expect(try call.wait()?.kind == .cancelled)
    #expect(ContinuousClock.now - start < .seconds(4))
    withExtendedLifetime(server) {}
  }

  /// Both sides would wait if the client did not read while it sends.
  @Test func answersAreReadWhileALargeValueIsSent() throws {
    let connection = try PostgresServer.shared.connect()
    let rows = try connection.prepare("SELECT repeat('x', 100000) FROM generate_series(1, 400)")
    let size = try connection.prepare("SELECT length($1::bytea)::bigint")
    try size.bind(.bytes(Data(count: 32 << 20)))
    var found: [Int64] = []
    let duration = try time {
      _ = try connection.rows(of: [rows, size]) { index, rows in
        if index == 1 { return found = try rows.integers() }
        while try rows.next() {}
      }
    }
    #expect(found == [32 << 20])
    #expect(duration < .seconds(15))
  }
}
