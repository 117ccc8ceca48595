/// Writes rows of one layout into pages, one row at a time.
///
/// 1. `begin()` makes room for the fixed part. Cells that the rows fill start as present, all others
///    as null.
/// 2. `set…` writes the filled cells in any order, `setNull` those that are null after all; texts and
///    blobs are appended behind the fixed part. When the page is full the unfinished row moves to a
///    new page.
/// 3. `finish()` returns where the row is. Finished rows never move.
public struct RowBuilder {
  /// The shape of the rows.
  public let layout: RowLayout
  @usableFromInline package var page: RowPage
  /// Bytes of `page` that finished rows use.
  @usableFromInline package var used = 0
  @usableFromInline package var row: UnsafeMutableRawPointer
  /// Bytes of the unfinished row.
  @usableFromInline package var rowSize = 0
  @usableFromInline package var nextCapacity: Int
  /// The null words that a row begins with.
  @usableFromInline package let blankNulls: ContiguousArray<UInt64>
  /// Reads the values that the rows name and do not have.
  private let outside: (any OutsideValues)?

  @usableFromInline package static let largestPage = 256 * 1024

  /// Makes a builder with an empty first page.
  /// - Parameters:
  ///   - layout: The shape of the rows.
  ///   - filled: The cells that every row sets; all cells when nil.
  ///   - expectedRows: How many rows will likely come; sizes the first page.
  public init(layout: RowLayout, filled: [Int]? = nil, expectedRows: Int = 1) {
    self.init(
      layout: layout, blankNulls: layout.blankNulls(filling: filled ?? Array(layout.kinds.indices)),
      expectedRows: expectedRows)
  }

  /// Makes a builder for rows whose null words are known from `RowLayout.blankNulls(filling:)`.
  package init(
    layout: RowLayout, blankNulls: ContiguousArray<UInt64>, expectedRows: Int,
    outside: (any OutsideValues)? = nil
  ) {
    self.layout = layout
    self.blankNulls = blankNulls
    self.outside = outside
    // A limit that a user gives may be any number.
    let rows = Swift.min(Swift.max(expectedRows, 1), RowBuilder.largestPage)
    let capacity = Swift.min(rows * (layout.fixedSize + 64), RowBuilder.largestPage)
    page = RowPage(capacity: capacity, blankNulls: blankNulls, outside: outside)
    row = page.base
    nextCapacity = Swift.min(Swift.max(capacity * 2, 4096), RowBuilder.largestPage)
  }

  /// Starts a row, and turns to a fresh page where the last one is full.
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

  /// Writes a number into an integer cell.
  @inlinable
  public mutating func setInteger(_ value: Int64, at cell: Int) {
    row.storeBytes(of: value, toByteOffset: layout.cellsOffset + cell << 3, as: Int64.self)
  }

  /// Writes a number into a real cell.
  @inlinable
  public mutating func setReal(_ value: Double, at cell: Int) {
    row.storeBytes(of: value, toByteOffset: layout.cellsOffset + cell << 3, as: Double.self)
  }

  /// Copies `bytes` behind the row; for text and blob cells.
  @inlinable
  public mutating func setBytes(_ bytes: UnsafeRawBufferPointer, at cell: Int) {
    if page.capacity - used < rowSize + bytes.count { turnPage(needed: rowSize + bytes.count) }
    if let source = bytes.baseAddress {
      (row + rowSize).copyMemory(from: source, byteCount: bytes.count)
    }
    let place = UInt64(UInt32(truncatingIfNeeded: rowSize)) | UInt64(bytes.count) << 32
    row.storeBytes(of: place, toByteOffset: layout.cellsOffset + cell << 3, as: UInt64.self)
    rowSize += bytes.count
  }

  /// Names a value that is kept outside of the row; for text and blob cells. The cell counts as null,
  /// so who does not know of such values finds none.
  package mutating func setOutside(named name: UnsafeRawBufferPointer, at cell: Int) {
    setBytes(name, at: cell)
    setNull(at: cell)
  }

  /// Ends the row; the result stays valid as long as its page lives.
  @inlinable
  public mutating func finish() -> (page: RowPage, row: UnsafeRawPointer) {
    let place = UnsafeRawPointer(row)
    used += (rowSize + 7) & ~7
    rowSize = 0
    return (page, place)
  }

  /// Starts a page with room for `needed` bytes and takes the unfinished row along.
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
