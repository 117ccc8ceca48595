/// The type of a cell, which says how its eight bytes are read.
public enum CellKind: UInt8, Sendable {
  /// A signed 64-bit integer.
  case integer
  /// An IEEE 754 double.
  case real
  /// UTF-8 text: offset from the row's first byte and length, 32 bits each.
  case text
  /// Bytes, addressed like text.
  case blob
}

/// The layout that all rows of one entity share.
///
/// A row is `[null words][cells][bytes]`: one null bit per cell in 64-bit words, eight bytes per
/// cell, then the bytes of its texts and blobs. Offsets count from the row's first byte, so a row
/// can be moved as a whole.
public struct RowLayout: Sendable {
  /// The kind of each cell; the index is the number of the cell.
  public let kinds: [CellKind]
  /// The number of 64-bit words for the null bits.
  public let nullWordCount: Int
  /// The offset of the first cell in bytes.
  public let cellsOffset: Int
  /// The offset of the first text or blob in bytes.
  public let fixedSize: Int

  /// Makes the layout of rows with cells of these kinds.
  public init(_ kinds: [CellKind]) {
    self.kinds = kinds
    nullWordCount = (kinds.count + 63) / 64
    cellsOffset = nullWordCount * 8
    fixedSize = cellsOffset + kinds.count * 8
  }

  /// The initial null words of rows that all fill the same cells.
  package func blankNulls(filling cells: some Sequence<Int>) -> ContiguousArray<UInt64> {
    var nulls = ContiguousArray(repeating: UInt64.max, count: nullWordCount)
    for cell in cells { nulls[cell >> 6] &= ~(1 << UInt64(cell & 63)) }
    return nulls
  }
}
