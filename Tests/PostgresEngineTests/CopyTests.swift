import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import Testing

@Suite(.enabled(if: PostgresServer.isAvailable))
struct CopyTests {
  let connection: PostgresConnection

  init() throws {
    connection = try PostgresServer.shared.connectToNewSchema()
  }

  /// Rows with random values, nulls and the extremes of every type.
  private static func randomRows(_ count: Int, _ random: inout some RandomNumberGenerator)
    -> [[PostgresValue]]
  {
    let integers: [Int64] = [.min, .max, 0, -1]
    let doubles = [
      Double.nan, .infinity, -.infinity, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
      0.1,
    ]
    let texts = [
      "", "é e\u{301}", "👩‍👩‍👧", "\\.", "\n\t\\N", String(repeating: "long ", count: 40_000),
    ]
    let decimals = [
      "0", "-0.1", "1e127", "1e-127", "12345678901234567890123456789012345678", "NaN", "1e-128",
    ]
    .map { Decimal(string: $0) ?? .nan }
    return (0..<count).map { index in
      let row: [PostgresValue] = [
        .integer(
          Bool.random(using: &random)
            ? integers.randomElement(using: &random)! : .random(in: .min ... .max, using: &random)),
        .boolean(.random(using: &random)),
        .double(
          Bool.random(using: &random)
            ? doubles.randomElement(using: &random)! : .random(in: -1e9...1e9, using: &random)),
        .real([.nan, .infinity, -0.0, .leastNonzeroMagnitude, 1.5].randomElement(using: &random)!),
        .numeric(decimals.randomElement(using: &random)!),
        .text(texts.randomElement(using: &random)!),
        .bytes(Data((0..<Int.random(in: 0...300, using: &random)).map { UInt8($0 & 255) })),
        .uuid(UUID()),
      ]
      return [.integer(Int64(index))]
        + row.map { Int.random(in: 0..<5, using: &random) == 0 ? .null : $0 }
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func copiedRowsEqualInsertedRows(_ seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let columns =
      "k bigint, i bigint, b boolean, d double precision, r real, n numeric, t text, y bytea, u uuid"
    try connection.execute("CREATE TABLE one (\(columns)); CREATE TABLE other (\(columns))")
    let rows = CopyTests.randomRows(600, &random)
    let parameters = (1...9).map { "$\($0)" }.joined(separator: ", ")
    let one = try connection.prepare("INSERT INTO one VALUES (\(parameters))")
    let other = try connection.prepare("INSERT INTO other VALUES (\(parameters))")
    try one.runBatch(rows.count) { index, parameters in
      for (offset, value) in rows[index].enumerated() { try parameters.bind(value, at: offset + 1) }
    }
    try other.copy("COPY other FROM STDIN (FORMAT binary)", last: []) { send in
      for row in rows {
        try other.bind(row)
        try send()
      }
    }
    // `IS DISTINCT FROM` takes -0 for 0, so the bytes are compared.
    let different = """
      SELECT count(*) FROM one FULL JOIN other USING (k) WHERE one.k IS NULL OR other.k IS NULL \
      OR one::text IS DISTINCT FROM other::text \
      OR float8send(one.d) IS DISTINCT FROM float8send(other.d) \
      OR float4send(one.r) IS DISTINCT FROM float4send(other.r) \
      OR numeric_send(one.n) IS DISTINCT FROM numeric_send(other.n)
      """
    #expect(try connection.integer(different) == 0)
    #expect(try connection.integer("SELECT count(*) FROM other") == 600)
    // The comparison finds one changed bit.
    try connection.execute("UPDATE other SET i = coalesce(i, 0) # 1 WHERE k = 5")
    #expect(try connection.integer(different) == 1)
  }

  @Test func numbersThatAreTextInParametersAreCopied() throws {
    try connection.execute("CREATE TABLE a (n numeric)")
    let insert = try connection.prepare("INSERT INTO a VALUES ($1)")
    let numbers = [0.1, -1e-7, 1e20, .nan, 123_456.75]
    try insert.copy("COPY a FROM STDIN (FORMAT binary)", last: []) { send in
      for number in numbers {
        try insert.bind(.double(number))
        try send()
      }
    }
    #expect(
      try connection.values("SELECT n::text FROM a")
        == ["0.1", "-0.0000001", "100000000000000000000", "NaN", "123456.75"].map { [.text($0)] })
  }

  @Test func lastColumnsAreTheSameInAllRows() throws {
    try connection.execute("CREATE TABLE a (x bigint, y bigint, z bigint)")
    let insert = try connection.prepare("INSERT INTO a (x) VALUES ($1)")
    try insert.copy("COPY a FROM STDIN (FORMAT binary)", last: [7, -8]) { send in
      for number in 0..<3 as Range<Int64> {
        try insert.bind(.integer(number))
        try send()
      }
    }
    #expect(
      try connection.values("SELECT * FROM a")
        == (0..<3).map { [.integer($0), .integer(7), .integer(-8)] })
  }

  @Test(arguments: [0, 1, 50_000])
  func aRejectedRowUndoesAllAndTheConnectionGoesOn(_ bad: Int64) throws {
    try connection.execute("CREATE TABLE a (x bigint PRIMARY KEY); INSERT INTO a VALUES (\(bad))")
    let insert = try connection.prepare("INSERT INTO a VALUES ($1)")
    let error = failure {
      try insert.copy("COPY a FROM STDIN (FORMAT binary)", last: []) { send in
        for number in 0..<100_000 as Range<Int64> {
          try insert.bind(.integer(number))
          try send()
        }
      }
    }
    #expect(error?.isUniquenessViolation == true)
    #expect(error?.table == "a")
    #expect(connection.isOpen)
    #expect(try connection.integer("SELECT count(*) FROM a") == 1)
  }

  @Test(arguments: [0, 1, 20_000])
  func anErrorOfAValueUndoesAllAndTheConnectionGoesOn(_ bad: Int) throws {
    try connection.execute("CREATE TABLE a (x text)")
    let insert = try connection.prepare("INSERT INTO a VALUES ($1)")
    let error = failure {
      try insert.copy("COPY a FROM STDIN (FORMAT binary)", last: []) { send in
        for number in 0..<30_000 {
          try insert.bind(.text(number == bad ? "a\0b" : "a text of row \(number)"))
          try send()
        }
      }
    }
    #expect(error?.kind == .value)
    #expect(error?.parameter == 1)
    #expect(connection.isOpen)
    #expect(try connection.integer("SELECT count(*) FROM a") == 0)
  }

  @Test func aMissingTableIsReported() throws {
    try connection.execute("CREATE TABLE a (x bigint)")
    let insert = try connection.prepare("INSERT INTO a VALUES ($1)")
    let error = failure {
      try insert.copy("COPY missing FROM STDIN (FORMAT binary)", last: []) { _ in }
    }
    #expect(error?.state?.rawValue == "42P01")
    #expect(try connection.integer("SELECT 1") == 1)
  }

  @Test func aCopyThatWaitsTooLongEnds() throws {
    try connection.execute("CREATE TABLE a (x bigint)")
    let insert = try connection.prepare("INSERT INTO a VALUES ($1)")
    let schema = try connection.values("SELECT current_schema()::text")
    guard case .text(let name)? = schema.first?.first else { throw CancellationError() }
    let other = try PostgresServer.shared.connect()
    try other.execute("BEGIN; LOCK TABLE \(name).a")
    let error = failure {
      try insert.copy(
        "COPY a FROM STDIN (FORMAT binary)", last: [], within: .milliseconds(200)
      ) { send in
        try insert.bind(.integer(1))
        try send()
      }
    }
    #expect(error?.kind == .timeout)
    try other.execute("ROLLBACK")
    #expect(try connection.integer("SELECT count(*) FROM a") == 0)
  }
}

/// A generator whose values are the same in each run.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
