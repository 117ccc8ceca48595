/// Writes rows of one layout into pages, one row at a time.
///
/// 1. `begin()` reserves the fixed part. Cells that the rows fill start as present, all others as
///    null.
/// 2. `set…` writes the filled cells in any order, `setNull` marks those that have no value. Texts
///    and blobs are appended after the fixed part. When the page is full, the unfinished row moves
///    to a new page.
/// 3. `finish()` returns the page and address of the row. Finished rows never move.
public struct RowBuilder {
  /// The layout of the rows.
  public let layout: RowLayout
  /// The page of the unfinished row, or of the last finished one.
  @usableFromInline package var page: RowPage
  /// The number of bytes of `page` that finished rows use.
  @usableFromInline package var used = 0
  @usableFromInline package var row: UnsafeMutableRawPointer
  /// The size of the unfinished row in bytes.
  @usableFromInline package var rowSize = 0
  @usableFromInline package var nextCapacity: Int
  /// The initial null words of a row.
  @usableFromInline package let blankNulls: ContiguousArray<UInt64>
  /// Loads values stored outside the row, in files.
  private let outside: (any ExternalValues)?

  @usableFromInline package static let largestPage = 256 * 1024

  /// Makes a builder with an empty first page.
  /// - Parameters:
  ///   - layout: The layout of the rows.
  ///   - filled: The cells that every row sets; all cells when nil.
  ///   - expectedRows: An estimate of the number of rows; determines the size of the first page.
  public init(layout: RowLayout, filled: [Int]? = nil, expectedRows: Int = 1) {
    self.init(
      layout: layout, blankNulls: layout.blankNulls(filling: filled ?? Array(layout.kinds.indices)),
      expectedRows: expectedRows)
  }

  /// Makes a builder for rows whose initial null words are known from
  /// `RowLayout.blankNulls(filling:)`.
  ///
  /// - Parameter rowSize: An estimate of the size of a row; 0 if it is not known.
  package init(
    layout: RowLayout, blankNulls: ContiguousArray<UInt64>, expectedRows: Int,
    rowSize: Int = 0, outside: (any ExternalValues)? = nil
  ) {
    self.layout = layout
    self.blankNulls = blankNulls
    self.outside = outside
    // A fetch limit of the user may be any number.
    let rows = Swift.min(Swift.max(expectedRows, 1), RowBuilder.largestPage)
    let size = rowSize == 0 ? layout.fixedSize + 64 : Swift.max(rowSize, layout.fixedSize)
    let capacity = Swift.min(rows * size, RowBuilder.largestPage)
    page = RowPage(capacity: capacity, blankNulls: blankNulls, outside: outside)
    row = page.base
    nextCapacity = Swift.min(Swift.max(capacity * 2, 4096), RowBuilder.largestPage)
  }

  /// The size of the rows that were finished in the current page, in bytes.
  package var finishedSize: Int { used }

  /// Starts a row, on a new page if the current one is full.
  @inlinable
  public mutating func begin() {
    if page.capacity - used < layout.fixedSize { turnPage(needed: layout.fixedSize) }
    row = page.base + used
    for word in 0..<layout.nullWordCount {
      row.storeBytes(of: blankNulls[word], toByteOffset: word << 3, as: UInt64.self)
    }
    (row + layout.cellsOffset).initializeMemory(
      as: UInt64.self, repeating: 0, count: layout.kinds.count)
    rowSize = layout.fixedSize
  }

  /// Marks a cell as having no value.
  @inlinable
  public mutating func setNull(at cell: Int) {
    let offset = (cell >> 6) << 3
    let word = row.load(fromByteOffset: offset, as: UInt64.self)
    row.storeBytes(of: word | 1 << UInt64(cell & 63), toByteOffset: offset, as: UInt64.self)
  }

  /// Writes an integer cell.
  @inlinable
  public mutating func setInteger(_ value: Int64, at cell: Int) {
    row.storeBytes(of: value, toByteOffset: layout.cellsOffset + cell << 3, as: Int64.self)
  }

  /// Writes a real cell.
  @inlinable
  public mutating func setReal(_ value: Double, at cell: Int) {
    row.storeBytes(of: value, toByteOffset: layout.cellsOffset + cell << 3, as: Double.self)
  }

  /// Appends `bytes` to the row; for text and blob cells.
  @inlinable
  public mutating func setBytes(_ bytes: UnsafeRawBufferPointer, at cell: Int) {
    if page.capacity - used < rowSize + bytes.count { turnPage(needed: rowSize + bytes.count) }
    if let source = bytes.baseAddress {
      (row + rowSize).copyMemory(from: source, byteCount: bytes.count)
    }
    let index = UInt64(UInt32(truncatingIfNeeded: rowSize)) | UInt64(bytes.count) << 32
    row.storeBytes(of: index, toByteOffset: layout.cellsOffset + cell << 3, as: UInt64.self)
    rowSize += bytes.count
  }

  /// Stores the name of a value that is kept outside the row; for text and blob cells. The cell
  /// counts as null, so code that does not support outside values finds no value.
  package mutating func setExternal(named name: UnsafeRawBufferPointer, at cell: Int) {
    setBytes(name, at: cell)
    setNull(at: cell)
  }

  /// Ends the row. The address is valid as long as the page lives.
  @inlinable
  public mutating func finish() -> (page: RowPage, row: UnsafeRawPointer) {
    let row = finishRow()
    return (page, row)
  }

  /// Ends the row, which is in `page`.
  @inlinable
  package mutating func finishRow() -> UnsafeRawPointer {
    used += (rowSize + 7) & ~7
    rowSize = 0
    return UnsafeRawPointer(row)
  }

  /// Starts a page with room for `needed` bytes and moves the unfinished row there.
  @usableFromInline
  package mutating func turnPage(needed: Int) {
    let wanted = (needed + 7) & ~7
    let next = RowPage(
      capacity: Swift.max(nextCapacity, wanted + wanted / 2), blankNulls: blankNulls,
      outside: outside)
    nextCapacity = Swift.min(nextCapacity * 2, RowBuilder.largestPage)
    if rowSize > 0 { next.base.copyMemory(from: row, byteCount: rowSize) }
    page = next
    row = next.base
    used = 0
  }
}
