import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import Testing

@Suite(.enabled(if: PostgresServer.isAvailable))
struct ParameterListTests {
  @Test func rowsArriveAsLists() throws {
    let connection = try PostgresServer.shared.connect()
    let each = try connection.prepare(
      "SELECT $1::bigint, $2::text, $3::double precision, $4::bytea, $5::boolean, $6::numeric")
    let together = try connection.prepare(
      """
      SELECT * FROM unnest($1::bigint[], $2::text[], $3::double precision[], $4::bytea[], \
      $5::boolean[], $6::numeric[])
      """)
    var lists = ParameterLists(columnCount: 6)
    let rows: [[PostgresValue]] = [
      [.integer(.max), .text("é"), .double(-0.5), .bytes(Data([0, 255])), .boolean(true), .null],
      [.null, .null, .null, .null, .null, .null],
      [.integer(0), .text(""), .double(.infinity), .bytes(Data()), .boolean(false), .null],
    ]
    for row in rows {
      try each.bind(row)
      // Digits are bound as a text.
      let digits = Array("12345678901234567890.5".utf8)
      try digits.withUnsafeBytes { digits in
        try each.parameters.bind(borrowedText: digits, at: 6)
        try lists.append(each.parameters)
      }
    }
    #expect(lists.count == 3 && lists.size > 3 * 6 * 4)
    try together.parameters.bind(lists)
    let digits = PostgresValue.numeric(Decimal(string: "12345678901234567890.5")!)
    #expect(try together.values() == rows.map { $0.dropLast() + [digits] })
    try together.parameters.bind(ParameterLists(columnCount: 6))
    #expect(try together.values() == [])
    #expect(throws: PostgresError.self) { try each.parameters.bind(lists) }
  }
}
