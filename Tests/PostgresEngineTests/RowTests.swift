import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataRowStorage
import OpenSwiftDataTestPostgres
import Testing

@Suite(.enabled(if: PostgresServer.isAvailable))
struct RowTests {
  let connection: PostgresConnection

  init() throws {
    connection = try PostgresServer.shared.connect()
  }

  @Test func rowsFillPages() throws {
    let layout = RowLayout([.integer, .real, .text, .blob, .blob, .integer])
    let sources: ContiguousArray = [
      CellSource(column: 1, cell: 0, conversion: .integer),
      CellSource(column: 2, cell: 1, conversion: .real),
      CellSource(column: 3, cell: 2, conversion: .text),
      CellSource(column: 4, cell: 3, conversion: .blob),
      CellSource(column: 5, cell: 4, conversion: .tagged),
      CellSource(column: 6, cell: 5, conversion: .keyAndEntity),
    ]
    let statement = try connection.prepare(
      """
      SELECT i, CASE WHEN i % 2 = 0 THEN i * 10 END, i / 4.0::float8, 'text ' || i,
        decode(lpad(to_hex(i), 8, '0'), 'hex'), '\\x01ff'::bytea, i + 7::bigint, 3
      FROM generate_series(1, 1000) AS i ORDER BY i
      """)
    var builder = RowBuilder(layout: layout, expectedRows: 10)
    var rows: [(page: RowPage, row: UnsafeRawPointer)] = []
    try statement.rows {
      while try $0.next() { rows.append((builder.page, try $0.copyRow(into: &builder, sources))) }
    }
    #expect(rows.count == 1000)
    for (index, row) in rows.enumerated() {
      let number = index + 1
      let reader = RowReader(row: row.row, cellsOffset: layout.cellsOffset)
      #expect(reader.isNull(0) == (number % 2 == 1))
      if number % 2 == 0 { #expect(reader.integer(0) == Int64(number * 10)) }
      #expect(reader.real(1) == Double(number) / 4)
      #expect(reader.text(2) == "text \(number)")
      #expect(Array(reader.bytes(3)) == [0, 0, UInt8(number >> 8), UInt8(number & 255)])
      #expect(Array(reader.bytes(4)) == [0xFF])
      #expect(PackedKey(word: reader.integer(5)).key == Int64(number + 7))
      #expect(PackedKey(word: reader.integer(5)).entity == 3)
    }
  }

  @Test func aValueThatDoesNotFitItsCellIsAnErrorWithItsColumn() throws {
    let statement = try connection.prepare("SELECT 1::bigint AS a, 'x'::text AS b")
    var builder = RowBuilder(layout: RowLayout([.integer]))
    let error = failure {
      try statement.rows { rows in
        _ = try rows.next()
        _ = try rows.copyRow(
          into: &builder, [CellSource(column: 1, cell: 0, conversion: .integer)])
      }
    }
    #expect(error?.kind == .value)
    #expect(error?.column == "b")
    #expect(try connection.integer("SELECT 1") == 1)
  }

  @Test func aMillionRowsNeedLittleMemory() throws {
    let statement = try connection.prepare(
      "SELECT i::bigint, repeat(md5(i::text), 16) FROM generate_series(1, 1000000) AS i")
    var (sum, count, bytes): (Int64, Int, Int) = (0, 0, 0)
    let before = residentBytes()
    var most = before
    let duration = try time {
      try statement.rows { rows in
        while try rows.next() {
          sum += try rows.integer(0) ?? 0
          bytes += rows.bytes(1).count
          count += 1
          if count % 100_000 == 0 { most = max(most, residentBytes()) }
        }
      }
    }
    #expect(count == 1_000_000)
    #expect(sum == 500_000_500_000)
    #expect(bytes == 512_000_000)
    print("1,000,000 rows in \(duration), \((most - before) / 1024) KiB more memory")
    // The rows alone are 512 MB. Other tests of the process need memory meanwhile.
    #expect(most - before < 200 << 20)
  }

  @Test(arguments: [false, true])
  func rowsThatNobodyReadsDoNotHinderTheNextStatement(_ isInTransaction: Bool) throws {
    if isInTransaction { try connection.begin(.write) }
    let statement = try connection.prepare("SELECT i FROM generate_series(1, 200000) AS i")
    let first = try statement.rows { rows in try rows.next() ? try rows.integer(0) : nil }
    #expect(first == 1)
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try statement.rows { rows in
        _ = try rows.next()
        throw Stop()
      }
    }
    #expect(try connection.integer("SELECT 2") == 2)
    if isInTransaction { try connection.commit() }
    #expect(connection.isOpen)
  }

  @Test func anErrorAfterSomeRowsIsThrown() throws {
    let statement = try connection.prepare(
      "SELECT 1 / (500 - i) FROM generate_series(1, 1000) AS i")
    var count = 0
    let error = failure {
      try statement.rows { rows in while try rows.next() { count += 1 } }
    }
    #expect(error?.state == "22012")
    #expect(count <= 499)
    #expect(failure { _ = try statement.rows { try $0.next() } }?.state == "22012")
    #expect(try connection.integer("SELECT 1") == 1)
  }

  @Test func aLargeValueGoesThereAndBack() throws {
    let data = Data((0..<20_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    #expect(
      try connection.values("SELECT $1::bytea, length($1)", .bytes(data))
        == [[.bytes(data), .integer(20_000_000)]])
  }
}

/// The memory of this process, without what is shared.
func residentBytes() -> Int {
  guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
    return 0
  }
  let pages = text.split(separator: " ").compactMap { Int($0) }
  return pages.count > 2 ? (pages[1] - pages[2]) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
}
