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
      $0.statementTimeout = .seconds(5)
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
        ? "SELECT \(number)::bigint FROM pg_sleep(0.2)" : "SELECT \(number)::bigint"
    }
    let statements = try texts.map { try connection.prepare($0) }
    try connection.transaction {
      try statements[0].runLater()
      #expect(try statements[1].integer() == 1)
      try statements[2].runLater()
    }
    for number in 0..<3 {
      let time = try #require(duration(texts[number]))
      #expect((time >= .milliseconds(190)) == (number == position), "\(number): \(time)")
    }
    #expect(try #require(duration("COMMIT")) < .milliseconds(150))
  }

  @Test func theTimeOfReadsThatAreSentTogetherIsTheirOwn() throws {
    let texts = ["SELECT 0", "SELECT 1 FROM pg_sleep(0.2)", "SELECT 2"]
    _ = try connection.rows(of: texts.map { try connection.prepare($0) }) { _, rows in
      while try rows.next() {}
    }
    let isSlow = texts.map { (duration($0) ?? .zero) >= .milliseconds(190) }
    #expect(isSlow == [false, true, false], "\(traces.all)")
  }
}
