import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import Testing

@Suite(.enabled(if: PostgresServer.isAvailable))
struct StatementTests {
  let connection: PostgresConnection

  init() throws {
    connection = try PostgresServer.shared.connectToNewSchema()
  }

  static let values: [(type: String, value: PostgresValue)] = [
    ("bigint", .integer(.min)), ("bigint", .integer(.max)), ("bigint", .integer(0)),
    ("integer", .integer(-2_147_483_648)), ("smallint", .integer(32_767)),
    ("boolean", .boolean(true)), ("boolean", .boolean(false)),
    ("double precision", .double(.greatestFiniteMagnitude)),
    ("double precision", .double(.leastNonzeroMagnitude)),
    ("double precision", .double(-.infinity)),
    ("double precision", .double(-0.0)), ("real", .real(0.1)), ("real", .real(.infinity)),
    ("text", .text("")), ("text", .text("Größe 👩‍👩‍👧 e\u{301}")), ("character varying", .text("x")),
    ("text", .text(String(repeating: "ü", count: 100_000))),
    ("bytea", .bytes(Data())), ("bytea", .bytes(Data(0...255))),
    ("uuid", .uuid(UUID())),
    ("numeric", .numeric(0)), ("numeric", .numeric(Decimal(string: "-0.0001")!)),
    ("bigint[]", .array([.integer(1), .null, .integer(-3)])), ("bigint[]", .array([])),
    ("text[]", .array([.text("a,\"b"), .text("")])), ("uuid[]", .array([.uuid(UUID())])),
    ("bytea[]", .array([.bytes(Data([0, 1]))])), ("numeric[]", .array([.numeric(1)])),
    ("double precision[]", .array([.double(1.5)])), ("boolean[]", .array([.boolean(true)])),
  ]

  @Test(arguments: values.indices)
  func aValueComesBackAsItWas(_ index: Int) throws {
    let (type, value) = StatementTests.values[index]
    #expect(try connection.values("SELECT $1::\(type)", value) == [[value]])
    #expect(try connection.values("SELECT $1::\(type)", .null) == [[.null]])
    try connection.execute("CREATE TABLE a (x \(type))")
    let insert = try connection.prepare("INSERT INTO a VALUES ($1)")
    try insert.bind(value)
    #expect(try insert.run() == 1)
    #expect(try connection.values("SELECT x FROM a") == [[value]])
  }

  @Test func notANumberComesBack() throws {
    guard
      case .double(let number) = try connection.values("SELECT $1::float8", .double(.nan))[0][0],
      case .numeric(let decimal) = try connection.values("SELECT $1::numeric", .numeric(.nan))[0][0]
    else {
      Issue.record("other types")
      return
    }
    #expect(number.isNaN)
    #expect(decimal.isNaN)
  }

  @Test func aTextWithAZeroCharacterIsRefusedAndNamesItsParameter() throws {
    let insert = try connection.prepare("SELECT $1::bigint, $2::text")
    let error = failure { try insert.bind(.integer(1), .text("secret\0value")) }
    #expect(error?.kind == .value)
    #expect(error?.parameter == 2)
    #expect(error?.description.contains("U+0000") == true)
    #expect(error?.description.contains("secret") == false)
    #expect(error?.sql == "SELECT $1::bigint, $2::text")
    #expect(
      failure { try connection.prepare("SELECT $1::date").bind(.text("a\0")) }?.kind == .value)
  }

  @Test func integersAreConvertedWhereNothingIsLost() throws {
    for type in ["bigint", "integer", "smallint", "numeric", "double precision", "boolean", "oid"] {
      #expect(
        try connection.values("SELECT ($1::\(type))::text IN ('1', 'true')", .integer(1))
          == [[.boolean(true)]])
    }
    #expect(try connection.integer("SELECT $1::bigint", .boolean(true)) == 1)
    #expect(try connection.integer("SELECT $1::bigint", .double(5)) == 5)
    #expect(try connection.integer("SELECT 12345678901::numeric") == 12_345_678_901)
    #expect(try connection.integer("SELECT true") == 1)
  }

  @Test(arguments: [
    ("integer", PostgresValue.integer(2_147_483_648)), ("smallint", .integer(-32_769)),
    ("boolean", .integer(2)), ("double precision", .integer(9_007_199_254_740_993)),
    ("real", .double(0.1)), ("bigint", .double(0.5)), ("text", .integer(1)), ("bytea", .text("x")),
    ("uuid", .bytes(Data([1]))), ("bigint", .text("1").self), ("bigint[]", .integer(1)),
    ("bigint[]", .array([.text("x\0")])),
  ])
  func aValueThatWouldChangeIsRefused(_ type: String, _ value: PostgresValue) throws {
    if type == "bigint", case .text = value {
      // The server reads other types from their text.
      #expect(try connection.integer("SELECT $1::bigint", value) == 1)
      return
    }
    let statement = try connection.prepare("SELECT $1::\(type)")
    let error = failure { try statement.bind(value) }
    #expect(error?.kind == .value)
    #expect(error?.parameter == 1)
  }

  @Test func aSecondUseOfATextPreparesNothing() throws {
    #expect(try connection.integer("SELECT 1::bigint") == 1)
    let (prepared, trips) = (connection.preparedCount, connection.roundTrips)
    for _ in 0..<5 { #expect(try connection.integer("SELECT 1::bigint") == 1) }
    #expect(connection.preparedCount == prepared)
    #expect(connection.roundTrips == trips + 5)
  }

  @Test func theLeastRecentlyUsedStatementIsDeallocatedOnTheServer() throws {
    let connection = try PostgresServer.shared.connect { $0.statements = .prepared(3) }
    for number in 0..<10 { _ = try connection.integer("SELECT \(number)") }
    #expect(connection.knownStatementCount == 3)
    let count = try connection.integer("SELECT count(*) FROM pg_prepared_statements")
    #expect(count! <= 5)
    #expect(count! >= 3)
  }

  /// Code that has prepared a statement runs it until the transaction ends.
  @Test func aStatementOfATransactionOutlivesTheCapacity() throws {
    let connection = try PostgresServer.shared.connect { $0.statements = .prepared(3) }
    try connection.transaction(.write) {
      let kept = try connection.prepare("SELECT 0::bigint")
      for number in 1...10 { _ = try connection.prepare("SELECT \(number)::bigint").integer() }
      #expect(try kept.integer() == 0)
    }
    _ = try connection.integer("SELECT 11")
    let count = try connection.integer("SELECT count(*) FROM pg_prepared_statements")
    #expect(try #require(count) <= 4)
  }

  /// The limits of a role do not end what may take any time.
  @Test func noLimitReplacesThatOfTheServer() throws {
    let admin = try PostgresServer.shared.connect()
    let role = "limited_" + UUID().uuidString.lowercased().replacing("-", with: "_")
    try admin.execute("CREATE ROLE \(role) LOGIN")
    defer { try? admin.execute("DROP ROLE \(role)") }
    try admin.execute(
      "ALTER ROLE \(role) SET statement_timeout = 50; "
        + "ALTER ROLE \(role) SET idle_in_transaction_session_timeout = 50")
    var options = ConnectionOptions()
    (options.statementTimeout, options.idleInTransactionTimeout) = (nil, nil)
    let connection = try PostgresConnection(
      ConnectionParameters(
        "host=\(PostgresServer.shared.socketFolder) user=\(role) dbname=postgres"),
      options: options)
    let answers = try connection.transaction(.snapshot) {
      let slow = try connection.integer("SELECT count(pg_sleep(0.2)::text)")
      Thread.sleep(forTimeInterval: 0.2)
      return [slow, try connection.integer("SELECT 2")]
    }
    #expect(answers == [1, 2])
  }

  @Test func aMistakeBetweenStatementsDoesNotDisturbTheirDeallocation() throws {
    let connection = try PostgresServer.shared.connect { $0.statements = .prepared(1) }
    for number in 0..<3 {
      #expect(try connection.integer("SELECT \(number)") == Int64(number))
      #expect(failure { _ = try connection.prepare("SELEC \(number)") }?.state == "42601")
    }
    // The one that counts, and the one before it, which is deallocated with the next one.
    #expect(try connection.integer("SELECT count(*) FROM pg_prepared_statements") == 2)
  }

  @Test func aStatementInsideTheRowsOfAnotherIsRefused() throws {
    let rows = try connection.prepare("SELECT i FROM generate_series(1, 3) AS i")
    var numbers: [Int64?] = []
    try rows.rows { rows in
      while try rows.next() {
        numbers.append(try rows.integer(0))
        #expect(failure { _ = try connection.execute("SELECT 1") }?.kind == .misuse)
      }
    }
    #expect(numbers == [1, 2, 3])
    #expect(try connection.integer("SELECT 4") == 4)
  }

  @Test func unnamedStatementsLeaveNothingOnTheServer() throws {
    let connection = try PostgresServer.shared.connect { $0.statements = .unnamed }
    for _ in 0..<3 {
      #expect(try connection.integer("SELECT $1::bigint + 1", .integer(41)) == 42)
    }
    #expect(connection.preparedCount == 1)
    #expect(try connection.integer("SELECT count(*) FROM pg_prepared_statements") == 0)
  }

  @Test func aStatementIsPreparedAgainAfterTheTablesChanged() throws {
    try connection.execute("CREATE TABLE a (x bigint); INSERT INTO a VALUES (1)")
    #expect(try connection.values("SELECT * FROM a") == [[.integer(1)]])
    try connection.execute("ALTER TABLE a ADD COLUMN y text DEFAULT 'new'")
    #expect(try connection.values("SELECT * FROM a") == [[.integer(1), .text("new")]])
    // Inside a transaction the server has aborted it, and the caller repeats it.
    try connection.execute("ALTER TABLE a DROP COLUMN y")
    let error = failure {
      try connection.transaction { _ = try connection.values("SELECT * FROM a") }
    }
    #expect(error?.repetition == .transaction)
    #expect(
      try connection.transaction { try connection.values("SELECT * FROM a") } == [[.integer(1)]])
  }

  @Test func anErrorNamesConstraintTableColumnsAndStatement() throws {
    try connection.execute(
      "CREATE TABLE a (x bigint, \"odd, name\" text, z bigint NOT NULL, "
        + "CONSTRAINT one_each UNIQUE (x, \"odd, name\"))")
    let insert = try connection.prepare("INSERT INTO a VALUES ($1, $2, $3)")
    try insert.bind(.integer(1), .text("hidden"), .integer(1))
    try insert.run()
    let error = failure { try insert.run() }
    #expect(error?.state == .uniqueViolation)
    #expect(error?.isUniquenessViolation == true)
    #expect(error?.constraint == "one_each")
    #expect(error?.table == "a")
    #expect(error?.constrainedColumns.first == "x")
    #expect(error?.repetition == .afterReading)
    #expect(error?.sql == "INSERT INTO a VALUES ($1, $2, $3)")
    #expect(error?.description.contains("hidden") == false)
    try insert.bind(.integer(2), .null, .null)
    let missing = failure { try insert.run() }
    #expect(missing?.state == "23502")
    #expect(missing?.column == "z")
    #expect(missing?.repetition == .never)
  }

  @Test func errorsAboutDataDoNotRepeatIt() throws {
    let error = failure { _ = try connection.values("SELECT ($1::text)::bigint", .text("secret")) }
    #expect(error?.state == "22P02")
    #expect(error?.description.contains("secret") == false)
    #expect(try connection.integer("SELECT 1") == 1)
  }

  @Test func aMistakeInAStatementLeavesTheConnectionUsable() throws {
    #expect(failure { _ = try connection.prepare("SELEC 1") }?.state == "42601")
    #expect(failure { try connection.execute("SELECT 1; SELECT 1/0") }?.state == "22012")
    #expect(
      failure { try connection.prepare("SELECT $1::bigint").bind(.null, .null) }?.kind == .misuse)
    #expect(failure { try connection.execute("COPY pg_class TO STDOUT") }?.kind == .misuse)
    let other = try PostgresServer.shared.connect()
    #expect(failure { _ = try other.prepare("SELECT 1").bind(.integer(1)) }?.kind == .misuse)
    #expect(try other.integer("SELECT 1") == 1)
  }

  @Test func noticesReachTheLog() throws {
    let notices = Collected<PostgresNotice>()
    let connection = try PostgresServer.shared.connect { $0.log = { notices.add($0) } }
    try connection.execute("DO $$ BEGIN RAISE WARNING 'look here'; END $$")
    #expect(notices.all.map(\.message) == ["look here"])
    #expect(notices.all.first?.severity == "WARNING")
    #expect(notices.all.first?.state == "01000")
  }

  @Test func theServerKnowsTheLimitsAndTheName() throws {
    let connection = try PostgresServer.shared.connect {
      $0.statementTimeout = .seconds(7)
      $0.lockTimeout = .milliseconds(1500)
      $0.applicationName = "Test of names"
    }
    #expect(try connection.values("SHOW statement_timeout") == [[.text("7s")]])
    #expect(try connection.values("SHOW lock_timeout") == [[.text("1500ms")]])
    #expect(try connection.values("SHOW application_name") == [[.text("Test of names")]])
  }
}
