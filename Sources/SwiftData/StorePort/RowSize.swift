import OpenSwiftDataRowStorage

/// The size of a row in bytes: the end of its last text or blob, including names of external
/// values.
enum RowSize {
  static func size(of row: UnsafeRawPointer, layout: RowLayout) -> Int {
    let reader = RowReader(row: row, cellsOffset: layout.cellsOffset)
    var end = layout.fixedSize
    for (cell, kind) in layout.kinds.enumerated() where kind == .text || kind == .blob {
      guard let start = reader.bytes(cell).baseAddress else { continue }
      end = max(end, start - row + reader.bytes(cell).count)
    }
    return end
  }
}
