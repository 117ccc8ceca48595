import Foundation
import OpenSwiftDataPostgresEngine
import Testing

/// Whatever a server sends, the call ends with an error, in time and without filling the memory.
struct HostileServerTests {
  var options: ConnectionOptions {
    var options = ConnectionOptions()
    options.connectTimeout = .milliseconds(700)
    options.statementTimeout = .milliseconds(700)
    options.cancellationGrace = .milliseconds(200)
    return options
  }

  /// The error of the first use of a server.
  func failureOfUse(
    _ sql: String = "SELECT a", _ serve: @escaping @Sendable (FakeServer.Client) -> Void
  ) throws -> PostgresError? {
    let server = try FakeServer(serve)
    var error: PostgresError?
    let duration = time {
      error = failure {
        let connection = try PostgresConnection(server.parameters, options: options)
        _ = try connection.prepare(sql).values()
      }
    }
    #expect(duration < .seconds(8))
    return error
  }

  @Test func theEndOfTheConnectionIsAnErrorAtEachStep() throws {
    #expect(try failureOfUse { _ in }?.kind == .connection)
    #expect(try failureOfUse { $0.receive() }?.kind == .connection)
    #expect(
      try failureOfUse {
        $0.receive()
        $0.send([UInt8(ascii: "R"), 0, 0])
      }?.kind == .connection)
    #expect(try failureOfUse { $0.accept() }?.kind == .connection)
    let inside = try failureOfUse {
      $0.accept()
      $0.describe()
      $0.beginRows()
      $0.sendRow([0, 0, 0, 0, 0, 0, 0, 1])
      $0.send([UInt8(ascii: "D"), 0, 0, 0, 18, 0, 1])
    }
    #expect(inside?.kind == .connection)
    #expect(inside?.repetition == .onNewConnection)
  }

  @Test func garbageInPlaceOfAGreetingIsAnError() throws {
    let error = try failureOfUse { client in
      client.receive()
      client.send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
    }
    #expect(error != nil)
    var random = SystemRandomNumberGenerator()
    for _ in 0..<20 {
      let bytes = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(
        try failureOfUse { client in
          client.receive()
          client.send(bytes)
        } != nil)
    }
  }

  @Test func garbageInPlaceOfAnAnswerIsAnError() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<20 {
      let bytes = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(
        try failureOfUse { client in
          client.accept()
          client.receive()
          client.send(bytes)
        } != nil)
      #expect(
        try failureOfUse { client in
          client.accept()
          client.describe()
          client.beginRows()
          client.send(bytes)
        } != nil)
    }
  }

  @Test func aMessageThatContradictsItsLengthIsAnInvalidAnswer() throws {
    let error = try failureOfUse { client in
      client.accept()
      client.describe()
      client.beginRows()
      client.send("D", [0, 1, 0, 0, 0, 200, 1])
    }
    #expect(error?.kind == .invalidAnswer, "\(error?.description ?? "")")
    #expect(error?.repetition == .never)
    #expect(error?.description.contains("the connection was closed") == true)
  }

  @Test(arguments: [0, 1, 4, 7, 9])
  func aValueWithAWrongLengthIsAnError(_ length: Int) throws {
    let error = try failureOfUse { client in
      client.accept()
      client.describe()
      client.beginRows()
      client.sendRow(Array(repeating: 1, count: length))
      client.send("C", Array("SELECT 1".utf8) + [0])
      client.send("Z", [UInt8(ascii: "I")])
      client.receive()
    }
    #expect(error?.kind == .value)
    #expect(error?.column == "a")
  }

  @Test func rowsWithoutEndAreStoppedByTheTimeLimit() throws {
    let server = try FakeServer { client in
      client.accept()
      client.describe()
      client.beginRows()
      while client.sendRow([0, 0, 0, 0, 0, 0, 0, 1]) {}
    }
    let connection = try PostgresConnection(server.parameters, options: options)
    let statement = try connection.prepare("SELECT a")
    let before = residentBytes()
    var count = 0
    let error = failure {
      try statement.rows { rows in while try rows.next() { count += 1 } }
    }
    #expect(error?.kind == .timeout)
    #expect(count > 100)
    #expect(residentBytes() - before < 64 << 20)
    #expect(!connection.isOpen)
  }

  @Test func noticesWithoutEndAreStoppedByTheTimeLimit() throws {
    let error = try failureOfUse { client in
      client.accept()
      client.receive()
      let notice = Array("SNOTICE\0C00000\0Mhello\0\0".utf8)
      while client.send("N", notice) {}
    }
    #expect(error?.kind == .timeout)
  }

  @Test func aMessageWithoutEndIsStoppedByTheTimeLimit() throws {
    let error = try failureOfUse { client in
      client.accept()
      client.describe()
      client.beginRows()
      client.send(
        [UInt8(ascii: "D")] + client.word(0x3FFF_FFFF) + [0, 1] + client.word(0x3FFF_0000))
      while client.send([1]) { Thread.sleep(forTimeInterval: 0.01) }
    }
    #expect(error?.kind == .timeout)
  }

  @Test func anAnswerToANotAskedQuestionIsAnError() throws {
    let server = try FakeServer { client in
      client.accept()
      client.send("C", Array("SELECT 1".utf8) + [0])
      client.send("D", [0, 1, 0, 0, 0, 1, 1])
      client.receive()
    }
    let connection = try PostgresConnection(server.parameters, options: options)
    #expect(failure { _ = try connection.prepare("SELECT a").values() } != nil)
  }

  @Test func anErrorInsteadOfAGreetingKeepsItsCode() throws {
    let server = try FakeServer { client in
      client.receive()
      client.send("E", Array("SFATAL\0VFATAL\0C53300\0Msorry, too many clients already\0\0".utf8))
    }
    let error = failure { _ = try PostgresConnection(server.parameters, options: options) }
    #expect(error?.state == .tooManyConnections)
    #expect(error?.repetition == .onNewConnection)
    // The server may also mean a limit of the role or the database.
    let limits = "max_connections, or CONNECTION LIMIT of the role or the database"
    #expect(error?.description.contains(limits) == true)
  }

  /// A server that is stopped ends a session that has committed.
  @Test func aCommitThatWasConfirmedBeforeTheSessionEndedHasNotFailed() throws {
    let server = try FakeServer { client in
      client.accept()
      client.receive()
      client.send("C", Array("BEGIN".utf8) + [0])
      client.send("Z", [UInt8(ascii: "T")])
      client.receive()
      client.send("C", Array("COMMIT".utf8) + [0])
      client.send("E", Array("SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0".utf8))
    }
    let traces = Collected<PostgresTrace>()
    var options = options
    options.tracer = PostgresTracer { traces.add($0) }
    let connection = try PostgresConnection(server.parameters, options: options)
    try connection.begin(.write)
    try connection.commit()
    #expect(!connection.isOpen)
    #expect(traces.all.map(\.sql).last == "COMMIT" && traces.all.count == 2, "\(traces.all)")
    #expect(traces.all.allSatisfy { $0.failure == nil }, "\(traces.all)")
  }

  @Test func aCopyThatWasNotAskedForEndsTheConnection() throws {
    for ask in [
      { try $0.execute("SELECT 1") }, { _ = try $0.texts("SELECT 1") },
    ] as [(PostgresConnection) throws -> Void] {
      let server = try FakeServer { client in
        client.accept()
        client.receive()
        client.send("G", [0, 0, 0])
        client.receive()
      }
      let connection = try PostgresConnection(server.parameters, options: options)
      let error = failure { try ask(connection) }
      #expect(error?.description.contains("COPY is not supported") == true)
      #expect(!connection.isOpen)
    }
  }
}
