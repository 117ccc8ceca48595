import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import Testing

@Suite(.enabled(if: PostgresServer.isAvailable))
struct NumericCodingTests {
  let connection: PostgresConnection

  init() throws {
    connection = try PostgresServer.shared.connect()
  }

  /// Compares with the text that the server makes and reads.
  func check(_ text: String, _ location: SourceLocation = #_sourceLocation) throws {
    let value = try #require(Decimal(string: text), sourceLocation: location)
    let row = try connection.values(
      "SELECT $1::numeric = ($2::text)::numeric, ($2::text)::numeric, trim_scale($1::numeric)::text",
      .numeric(value), .text(text))[0]
    #expect(row[0] == .boolean(true), "\(text)", sourceLocation: location)
    #expect(row[1] == .numeric(value), "\(text)", sourceLocation: location)
  }

  @Test(arguments: [
    "0", "1", "-1", "10", "9999", "10000", "10001", "-0.1", "0.0001", "0.00001",
    "123456789.987654321",
    "100000000", "0.1000", "12345678901234567890123456789012345678", "1e20", "1e127", "-1e-100",
    "5e-128", "1234567890.12345678901234567890123456", "340282366920938463463374607431768211455",
  ])
  func aDecimalIsExact(_ text: String) throws {
    try check(text)
  }

  @Test func randomDecimalsAreExact() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      let digits = (0..<Int.random(in: 1...38, using: &random)).map { _ in
        String(Int.random(in: 0...9, using: &random))
      }.joined()
      let sign = Bool.random(using: &random) ? "-" : ""
      try check("\(sign)\(digits)e\(Int.random(in: -60...60, using: &random))")
    }
  }

  @Test(arguments: [
    "1234567890123456789012345678901234567890.5", "1e200", "1e-200", "'Infinity'", "'-Infinity'",
  ])
  func aNumericBeyondDecimalIsRefusedAndNotRounded(_ text: String) throws {
    let error = failure { _ = try connection.values("SELECT \(text)::numeric") }
    #expect(error?.kind == .value)
    #expect(try connection.integer("SELECT 1") == 1)
  }

  @Test func aNumericWithoutPlacesIsAnIntegerAndOthersAreNot() throws {
    #expect(try connection.integer("SELECT -9223372036854775808::numeric") == .min)
    #expect(try connection.integer("SELECT 5.00::numeric") == 5)
    #expect(failure { _ = try connection.integer("SELECT 5.5::numeric") }?.kind == .value)
    #expect(
      failure { _ = try connection.integer("SELECT 9223372036854775808::numeric") }?.kind == .value)
  }
}
