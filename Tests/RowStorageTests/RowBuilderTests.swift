import OpenSwiftDataRowStorage
import Testing

@Suite struct RowBuilderTests {
  @Test func cellsReadBackWhatWasWritten() {
    let layout = RowLayout([.integer, .real, .text, .blob, .text])
    var builder = RowBuilder(layout: layout, filled: [0, 1, 2, 3])
    builder.begin()
    builder.setNull(at: 3)
    builder.setInteger(.min, at: 0)
    builder.setReal(-0.0, at: 1)
    "e\u{301}\0z".withContiguous { builder.setBytes($0, at: 2) }
    let (page, row) = builder.finish()
    withExtendedLifetime(page) {
      let reader = RowReader(row: row, cellsOffset: builder.layout.cellsOffset)
      #expect(reader.integer(0) == .min)
      #expect(reader.real(1).sign == .minus)
      #expect(reader.text(2).utf8.elementsEqual("e\u{301}\0z".utf8))
      #expect((0..<5).map(reader.isNull) == [false, false, false, true, true])
      #expect(reader.bytes(3).isEmpty)
    }
  }

  @Test func rowsThatOutgrowAPageMoveWholeAndFinishedRowsStay() {
    var builder = RowBuilder(layout: RowLayout(Array(repeating: .text, count: 70)))
    var rows: [(page: RowPage, row: UnsafeRawPointer)] = []
    for number in 0..<500 {
      builder.begin()
      for cell in stride(from: 0, to: 70, by: 3) {
        String(repeating: "\(number)-\(cell) ", count: cell).withContiguous {
          builder.setBytes($0, at: cell)
        }
      }
      for cell in 0..<70 where cell % 3 != 0 { builder.setNull(at: cell) }
      rows.append(builder.finish())
    }
    for (number, place) in rows.enumerated() {
      let reader = RowReader(row: place.row, cellsOffset: builder.layout.cellsOffset)
      for cell in 0..<70 {
        let expected = String(repeating: "\(number)-\(cell) ", count: cell)
        #expect(reader.isNull(cell) == (cell % 3 != 0))
        if cell % 3 == 0 { #expect(reader.text(cell) == expected) }
      }
    }
  }

  @Test func valuesLargerThanTheLargestPageFit() {
    var builder = RowBuilder(layout: RowLayout([.blob]))
    let large = [UInt8](repeating: 7, count: 3_000_000)
    builder.begin()
    large.withUnsafeBytes { builder.setBytes($0, at: 0) }
    let (page, row) = builder.finish()
    withExtendedLifetime(page) {
      #expect(RowReader(row: row, cellsOffset: 8).bytes(0).elementsEqual(large))
    }
  }
}

extension String {
  fileprivate func withContiguous(_ body: (UnsafeRawBufferPointer) -> Void) {
    var copy = self
    copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }
}
