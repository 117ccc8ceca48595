import Foundation
import OpenSwiftDataRowStorage
import Testing

/// Columns whose value may be kept outside of the row.
@Suite struct TaggedValueTests {
  private final class Files: ExternalValues {
    func content(named name: String) -> Data? { name == "A-1" ? Data([7]) : nil }
    func keeping(_ names: [String]) -> any ExternalValues { self }
  }

  @Test func aNameIsReplacedByItsValue() throws {
    #expect(try Files().embedded(Data([2]) + Data("A-1".utf8) + Data([0])) == Data([1, 7]))
    #expect(try Files().embedded(Data([2]) + Data("A-1".utf8)) == Data([1, 7]))
    #expect(try Files().embedded(Data([1, 8])) == Data([1, 8]))
    #expect(try Files().embedded(Data([9])) == Data([9]))
    #expect(try Files().embedded(Data([2]) + Data("B".utf8)) == nil)
  }

  @Test func aCellHasTheNameAndCountsAsNull() {
    let layout = RowLayout([.blob, .text, .blob])
    var builder = RowBuilder(layout: layout)
    builder.begin()
    Array("A-1".utf8).withUnsafeBytes { builder.setExternal(named: $0, at: 0) }
    Array("text".utf8).withUnsafeBytes { builder.setBytes($0, at: 1) }
    builder.setNull(at: 2)
    let place = builder.finish()
    let row = RowReader(row: place.row, cellsOffset: layout.cellsOffset)
    #expect(row.isNull(0) && row.isExternal(0) && row.hasValue(0) && row.text(0) == "A-1")
    #expect(!row.isNull(1) && !row.isExternal(1) && row.hasValue(1) && row.text(1) == "text")
    #expect(row.isNull(2) && !row.isExternal(2) && !row.hasValue(2))
  }

  @Test(arguments: ["a/b", "..", ".", "", "a b", String(repeating: "x", count: 256)])
  func whatLeadsElsewhereIsNoName(_ name: String) {
    (Data([2]) + Data(name.utf8)).withUnsafeBytes { bytes in
      guard case .value(let value) = TaggedValue(bytes) else {
        Issue.record("\(name) is taken for a name")
        return
      }
      #expect(value.count == bytes.count)
    }
  }
}
