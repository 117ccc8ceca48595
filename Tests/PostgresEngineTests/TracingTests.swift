import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import Testing

/// What a connection reports of its statements.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct TracingTests {
  let connection: PostgresConnection
  private let traces = Collected<PostgresTrace>()

  init() throws {
    let traces = traces
    connection = try PostgresServer.shared.connectToNewSchema {
      $0.statementTimeout = .seconds(20)
      $0.tracer = PostgresTracer { traces.add($0) }
    }
    try connection.execute("CREATE TABLE a (x bigint PRIMARY KEY)")
    connection.defersStatements = true
  }

  private func duration(_ sql: String) -> Duration? { traces.all.last { $0.sql == sql }?.duration }

  /// Each position in the exchange: before a statement with a result, that statement, and the commit.
  @Test(arguments: 0..<3)
  func theTimeOfStatementsThatAreSentTogetherIsTheirOwn(_ position: Int) throws {
    let texts = (0..<3).map { number in
      number == position
        ? "SELECT \(number)::bigint FROM pg_sleep(2.5)" : "SELECT \(number)::bigint"
    }
    let statements = try texts.map { try connection.prepare($0) }
    try connection.transaction {
      try statements[0].runLater()
      #expect(try statements[1].integer() == 1)
      try statements[2].runLater()
    }
    for number in 0..<3 {
      let time = try #require(duration(texts[number]))
      #expect((time >= .milliseconds(2_400)) == (number == position), "\(number): \(time)")
    }
    #expect(try #require(duration("COMMIT")) < .milliseconds(2_400))
    #expect(traces.all.allSatisfy { $0.failure == nil })
  }

  @Test func theTimeOfReadsThatAreSentTogetherIsTheirOwn() throws {
    let texts = ["SELECT 0", "SELECT 1 FROM pg_sleep(2.5)", "SELECT 2"]
    _ = try connection.rows(of: texts.map { try connection.prepare($0) }) { _, rows in
      while try rows.next() {}
    }
    let isSlow = texts.map { (duration($0) ?? .zero) >= .milliseconds(2_400) }
    #expect(isSlow == [false, true, false], "\(traces.all)")
  }

  @Test func theStatementThatFailedHasTheCodeOfTheServer() throws {
    let insert = try connection.prepare("INSERT INTO a VALUES (1)")
    let read = try connection.prepare("SELECT count(*) FROM a")
    try insert.run()
    let error = failure {
      try connection.transaction {
        try insert.runLater()
        _ = try read.integer()
      }
    }
    #expect(error?.isUniquenessViolation == true)
    let failed = traces.all.filter { $0.failure != nil }
    #expect(failed.map(\.sql) == [insert.sql])
    #expect(failed.map(\.failure) == ["23505"])
  }

  @Test func aMissingRowIsNoDivision() throws {
    let update = "UPDATE a SET x = 2 WHERE x = 7 RETURNING x"
    let required = try connection.prepare(RequiredRow.statement(requiring: update))
    #expect(failure { try required.run() } != nil)
    #expect(traces.all.last?.sql == update)
    #expect(traces.all.last?.failure == "02000")
  }

  /// The statement that the server runs is reported, not the one that would have been next.
  @Test func aCancelledExchangeNamesTheStatementThatRan() throws {
    let sleep = try connection.prepare("SELECT 1 FROM pg_sleep(60)")
    let read = try connection.prepare("SELECT count(*) FROM a")
    let other = Lent(connection)
    let canceller = Background {
      let activity = try PostgresServer.shared.connect()
      let sleeping = """
        SELECT count(*) FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep'
        """
      let process = Int64(other.value.serverProcess)
      while try activity.integer(sleeping, .integer(process)) == 0 {}
      other.value.cancel()
    }
    let error = failure {
      try connection.transaction {
        try sleep.runLater()
        _ = try read.integer()
      }
    }
    try canceller.wait()
    #expect(error?.kind == .cancelled)
    let failed = traces.all.filter { $0.failure != nil }
    #expect(failed.map(\.sql) == [sleep.sql])
    #expect(failed.map(\.failure) == ["cancelled"])
  }
}
