import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import Testing

/// Several statements in one round trip.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct StatementsTogetherTests {
  let connection: PostgresConnection

  init() throws {
    connection = try PostgresServer.shared.connectToNewSchema()
    try connection.execute("CREATE TABLE a (x bigint)")
    try connection.execute("INSERT INTO a SELECT generate_series(1, 5000)")
  }

  /// The numbers in the first column of each statement's rows.
  private func numbers(_ texts: [String]) throws -> [[Int64]] {
    try connection.rows(of: texts.map { try connection.prepare($0) }) { _, rows in
      var numbers: [Int64] = []
      while try rows.next() { numbers.append(try rows.integer(0) ?? 0) }
      return numbers
    }
  }

  @Test(arguments: [false, true])
  func allAreOneRoundTrip(_ isInSnapshot: Bool) throws {
    let texts = [
      "SELECT x FROM a ORDER BY x", "SELECT count(*) FROM a", "SELECT x FROM a WHERE x < 0",
      "SELECT x FROM a ORDER BY x DESC", "SELECT count(*) FROM a",
    ]
    for round in 0..<3 {
      let trips = connection.roundTrips
      let found =
        isInSnapshot ? try connection.snapshot { try numbers(texts) } : try numbers(texts)
      #expect(found == [Array(1...5000), [5000], [], (1...5000).reversed(), [5000]])
      if round > 0 { #expect(connection.roundTrips == trips + 1) }
    }
    #expect(try numbers([]).isEmpty)
    #expect(try numbers(["SELECT 7::bigint"]) == [[7]])
  }

  @Test func statementsThatWaitAreSentBefore() throws {
    connection.defersStatements = true
    let insert = try connection.prepare("INSERT INTO a VALUES (6000)")
    let found = try connection.transaction {
      try insert.runLater()
      return try numbers(["SELECT max(x) FROM a", "SELECT count(*) FROM a"])
    }
    #expect(found == [[6000], [5001]])
  }

  @Test(arguments: [0, 1, 2])
  func anErrorOfOneIsThrown(_ index: Int) throws {
    var texts = ["SELECT x FROM a", "SELECT count(*) FROM a", "SELECT min(x) FROM a"]
    texts[index] = "SELECT x / (x - x) FROM a"
    let error = failure { _ = try numbers(texts) }
    #expect(error?.state == "22012")
    #expect(error?.sql == texts[index])
    #expect(try numbers(["SELECT 7::bigint", "SELECT 8::bigint"]) == [[7], [8]])
  }

  @Test func anErrorOfTheReaderLeavesTheConnectionUsable() throws {
    struct Enough: Error {}
    let statements = try ["SELECT x FROM a", "SELECT x FROM a"].map { try connection.prepare($0) }
    for _ in 0..<2 {
      #expect(throws: Enough.self) {
        try connection.rows(of: statements) { index, rows in
          _ = try rows.next()
          if index == 0 { throw Enough() }
        }
      }
      #expect(try numbers(["SELECT 7::bigint", "SELECT 8::bigint"]) == [[7], [8]])
    }
  }

  @Test func statementsForOtherColumnsArePreparedAgain() throws {
    let texts = ["SELECT count(*) FROM a", "SELECT * FROM a WHERE x = 1"]
    #expect(try numbers(texts) == [[5000], [1]])
    try connection.execute("ALTER TABLE a ADD COLUMN y bigint")
    #expect(try numbers(texts) == [[5000], [1]])
    try connection.execute("DEALLOCATE ALL")
    #expect(try numbers(texts) == [[5000], [1]])
  }
}
