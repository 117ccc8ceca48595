/// Reads the cells of one row, given its first byte and the offset of its cells.
///
/// Holds no reference: the owner of a reader must keep the page alive.
@frozen
public struct RowReader {
  /// The row's first byte.
  public let row: UnsafeRawPointer
  /// The offset of the first cell in bytes, from the layout.
  public let cellsOffset: Int

  /// Makes a reader for the row at an address; its page must outlive the reader.
  @inlinable
  public init(row: UnsafeRawPointer, cellsOffset: Int) {
    self.row = row
    self.cellsOffset = cellsOffset
  }

  /// Whether a cell has no value.
  @inlinable @inline(__always)
  public func isNull(_ cell: Int) -> Bool {
    let word = row.load(fromByteOffset: (cell >> 6) << 3, as: UInt64.self)
    return word & (1 << UInt64(cell & 63)) != 0
  }

  /// Whether a cell that counts as null names a value stored outside the row.
  @inlinable
  public func isExternal(_ cell: Int) -> Bool {
    isNull(cell) && row.load(fromByteOffset: cellsOffset + cell << 3, as: UInt64.self) != 0
  }

  /// Whether a cell has a value, inside or outside the row.
  @inlinable
  public func hasValue(_ cell: Int) -> Bool { !isNull(cell) || isExternal(cell) }

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

  /// The bytes of a text or blob cell: empty for a null cell, the name for a value stored outside
  /// the row.
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
