/// A block of memory that holds finished rows. Rows never move, and live as long as the page.
///
/// One `RowBuilder` writes the page. Any thread may read a row once the builder has finished it:
/// the bytes of a finished row are never written again, which makes the page `Sendable`.
public final class RowPage: @unchecked Sendable {
  @usableFromInline package let base: UnsafeMutableRawPointer
  @usableFromInline package let capacity: Int
  /// The initial null bits of a row: set for the cells that no row of this page fills.
  private let blankNulls: ContiguousArray<UInt64>
  /// Loads values stored outside the row, in files.
  package let outside: (any ExternalValues)?
  /// The page that owns the memory, if it is another page.
  private let owner: RowPage?

  package init(
    capacity: Int, blankNulls: ContiguousArray<UInt64>, outside: (any ExternalValues)?
  ) {
    base = .allocate(byteCount: capacity, alignment: 8)
    self.capacity = capacity
    self.blankNulls = blankNulls
    owner = nil
    self.outside = outside
  }

  /// Makes a page over the rows of another page that loads outside values differently.
  package init(_ page: RowPage, outside: any ExternalValues) {
    base = page.base
    capacity = page.capacity
    blankNulls = page.blankNulls
    owner = page
    self.outside = outside
  }

  /// Whether the rows have this cell, even if it is null. Rows with only some columns lack the
  /// others.
  package func fills(_ cell: Int) -> Bool {
    let word = cell >> 6
    return word < blankNulls.count && blankNulls[word] & (1 << UInt64(cell & 63)) == 0
  }

  deinit {
    if owner == nil { base.deallocate() }
  }
}
