import OpenSwiftDataRowStorage

/// How many bytes a row takes, which follows from where its last text or blob ends; the name of a value
/// that is kept elsewhere is one.
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
