import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import Testing

@Suite(.enabled(if: PostgresServer.isAvailable))
struct BatchTests {
  let connection: PostgresConnection

  init() throws {
    connection = try PostgresServer.shared.connectToNewSchema()
    try connection.execute("CREATE TABLE a (x bigint PRIMARY KEY, y text)")
  }

  var count: Int64? { get throws { try connection.integer("SELECT count(*) FROM a") } }

  @Test func aBatchWritesManyRowsInOneExchange() throws {
    let insert = try connection.prepare("INSERT INTO a VALUES ($1, $2)")
    let trips = connection.roundTrips
    let duration = try time {
      try connection.transaction {
        try insert.runBatch(20_000) { index, parameters in
          try parameters.bind(Int64(index), at: 1)
          try parameters.bind("row \(index)", at: 2)
        }
      }
    }
    print("20,000 rows inserted in \(duration)")
    #expect(connection.roundTrips == trips + 3)
    #expect(try count == 20_000)
    #expect(try connection.values("SELECT y FROM a WHERE x = 19999") == [[.text("row 19999")]])
  }

  @Test func eachRowHasItsResultInOrder() throws {
    try connection.execute("INSERT INTO a SELECT i, '' FROM generate_series(0, 999, 3) AS i")
    let insert = try connection.prepare(
      "INSERT INTO a VALUES ($1, 'new') ON CONFLICT DO NOTHING RETURNING x * 2")
    var results: [PostgresStatement.BatchResult] = []
    try insert.runBatch(1000) { index, parameters in
      try parameters.bind(Int64(index), at: 1)
    } result: { index, result in
      #expect(index == results.count)
      results.append(result)
    }
    #expect(results.count == 1000)
    for (index, result) in results.enumerated() {
      #expect(result.changedRows == (index % 3 == 0 ? 0 : 1))
      #expect(result.integer == (index % 3 == 0 ? nil : Int64(index * 2)))
    }
  }

  @Test(arguments: [0, 1, 127, 128, 700, 1999])
  func aRejectedRowIsNamedAndNothingIsWritten(_ bad: Int) throws {
    try connection.execute("INSERT INTO a VALUES (\(bad), 'old')")
    let insert = try connection.prepare("INSERT INTO a VALUES ($1, 'new')")
    var last = -1
    let error = failure {
      try insert.runBatch(2000) {
        try $1.bind(Int64($0), at: 1)
      } result: { index, _ in
        last = index
      }
    }
    #expect(error?.state == .uniqueViolation)
    #expect(error?.rowIndex == bad)
    #expect(error?.constraint == "a_pkey")
    #expect(last == bad - 1)
    #expect(try count == 1)
    #expect(!connection.hasOpenTransaction)
  }

  @Test func aRowThatCannotBeSentLeavesNothing() throws {
    let insert = try connection.prepare("INSERT INTO a VALUES ($1, $2)")
    let error = failure {
      try insert.runBatch(1000) {
        try $1.bind(Int64($0), at: 1)
        try $1.bind($0 == 900 ? "a\0" : "b", at: 2)
      }
    }
    #expect(error?.kind == .value)
    #expect(error?.rowIndex == 900)
    #expect(error?.parameter == 2)
    #expect(try count == 0)
  }

  @Test func largeRowsInBothDirectionsDoNotBlockEachOther() throws {
    let text = String(repeating: "x", count: 500_000)
    let insert = try connection.prepare("INSERT INTO a VALUES ($1, $2) RETURNING x, y")
    try insert.runBatch(60) {
      try $1.bind(Int64($0), at: 1)
      try $1.bind(text, at: 2)
    }
    #expect(try connection.integer("SELECT sum(length(y)) FROM a") == 30_000_000)
  }

  @Test func unnamedStatementsRunInBatchesToo() throws {
    let connection = try PostgresServer.shared.connectToNewSchema { $0.statements = .unnamed }
    try connection.execute("CREATE TABLE b (x bigint)")
    try connection.prepare("INSERT INTO b VALUES ($1)").runBatch(500) {
      try $1.bind(Int64($0), at: 1)
    }
    #expect(try connection.integer("SELECT sum(x) FROM b") == 124_750)
  }

  @Test func anErrorOfTheCallerEndsTheBatch() throws {
    struct Stop: Error {}
    let insert = try connection.prepare("INSERT INTO a VALUES ($1, '')")
    #expect(throws: Stop.self) {
      try insert.runBatch(5000) {
        try $1.bind(Int64($0), at: 1)
      } result: { index, _ in
        if index == 1000 { throw Stop() }
      }
    }
    #expect(try count == 0)
  }

  @Test func theTimeLimitIsNotThatOfTheBatch() throws {
    let connection = try PostgresServer.shared.connect {
      $0.statementTimeout = .seconds(2)
      $0.cancellationGrace = .milliseconds(400)
    }
    let sleep = try connection.prepare("SELECT $1::bigint FROM pg_sleep(0.005)")
    var count = 0
    try sleep.runBatch(640) { index, parameters in
      try parameters.bind(Int64(index), at: 1)
    } result: { _, _ in
      count += 1
    }
    #expect(count == 640)
    let error = failure {
      let sleep = try connection.prepare("SELECT $1::bigint FROM pg_sleep(20)")
      try sleep.runBatch(2) { try $1.bind(Int64($0), at: 1) }
    }
    #expect(error?.kind == .timeout)
  }
}
