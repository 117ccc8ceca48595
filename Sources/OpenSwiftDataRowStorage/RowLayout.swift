/// What a cell of a row holds, and so how its eight bytes are read.
public enum CellKind: UInt8, Sendable {
  /// A signed 64-bit integer.
  case integer
  /// An IEEE 754 double.
  case real
  /// UTF-8 text: offset from the row's first byte and length, 32 bits each.
  case text
  /// Bytes, addressed as text is.
  case blob
}

/// The shape that all rows of one entity share.
///
/// A row is `[null words][cells][bytes]`: one null bit per cell in 64-bit words, eight bytes
/// per cell, then the bytes of its texts and blobs. Offsets count from the row's first byte,
/// so a row can be moved as a whole.
public struct RowLayout: Sendable {
  /// What each cell holds; the index is the number of the cell.
  public let kinds: [CellKind]
  /// How many 64-bit words the null bits take.
  public let nullWordCount: Int
  /// Bytes before the first cell.
  public let cellsOffset: Int
  /// Bytes before the first text or blob.
  public let fixedSize: Int

  /// Lays out rows with cells of these kinds.
  public init(_ kinds: [CellKind]) {
    self.kinds = kinds
    nullWordCount = (kinds.count + 63) / 64
    cellsOffset = nullWordCount * 8
    fixedSize = cellsOffset + kinds.count * 8
  }

  /// The null words of a row before its cells are set, when all rows fill the same cells.
  package func blankNulls(filling cells: some Sequence<Int>) -> ContiguousArray<UInt64> {
    var nulls = ContiguousArray(repeating: UInt64.max, count: nullWordCount)
    for cell in cells { nulls[cell >> 6] &= ~(1 << UInt64(cell & 63)) }
    return nulls
  }
}
