/// Typed reading of one row, given its first byte and the offset of its cells.
///
/// Holds no reference: whoever keeps a reader keeps the page.
@frozen
public struct RowReader {
  /// The row's first byte.
  public let row: UnsafeRawPointer
  /// Bytes before the first cell, as the layout says.
  public let cellsOffset: Int

  /// Reads the row at an address; its page has to outlive the reader.
  @inlinable
  public init(row: UnsafeRawPointer, cellsOffset: Int) {
    self.row = row
    self.cellsOffset = cellsOffset
  }

  /// Whether a cell has no value.
  @inlinable
  public func isNull(_ cell: Int) -> Bool {
    let word = row.load(fromByteOffset: (cell >> 6) << 3, as: UInt64.self)
    return word & (1 << UInt64(cell & 63)) != 0
  }

  /// Whether a cell that counts as null names a value that is kept outside of the row.
  @inlinable
  public func isElsewhere(_ cell: Int) -> Bool {
    isNull(cell) && row.load(fromByteOffset: cellsOffset + cell << 3, as: UInt64.self) != 0
  }

  /// Whether a cell has a value, in the row or outside of it.
  @inlinable
  public func hasValue(_ cell: Int) -> Bool { !isNull(cell) || isElsewhere(cell) }

  /// The number in an integer cell; not checked against the layout.
  @inlinable
  public func integer(_ cell: Int) -> Int64 {
    row.load(fromByteOffset: cellsOffset + cell << 3, as: Int64.self)
  }

  /// The number in a real cell; not checked against the layout.
  @inlinable
  public func real(_ cell: Int) -> Double {
    row.load(fromByteOffset: cellsOffset + cell << 3, as: Double.self)
  }

  /// The bytes of a text or blob cell; empty for a null cell, and the name of a value that is kept
  /// outside of the row.
  @inlinable
  public func bytes(_ cell: Int) -> UnsafeRawBufferPointer {
    let place = row.load(fromByteOffset: cellsOffset + cell << 3, as: UInt64.self)
    let offset = Int(truncatingIfNeeded: place & 0xFFFF_FFFF)
    let count = Int(truncatingIfNeeded: place >> 32)
    return UnsafeRawBufferPointer(start: row + offset, count: count)
  }

  /// The text of a text cell; empty for a null cell.
  @inlinable
  public func text(_ cell: Int) -> String {
    String(decoding: bytes(cell), as: UTF8.self)
  }
}
