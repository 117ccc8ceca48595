/// A block of memory that holds finished rows; rows never move, and live as long as the page.
///
/// Written by one `RowBuilder`, read by anybody once the builder has finished a row: the bytes
/// of a finished row are never written again, which is what makes the page `Sendable`.
public final class RowPage: @unchecked Sendable {
  @usableFromInline package let base: UnsafeMutableRawPointer
  @usableFromInline package let capacity: Int
  /// The null bits of a row before its cells are set: on for the cells that no row here fills.
  private let blankNulls: ContiguousArray<UInt64>
  /// Reads the values that the rows name and do not have.
  package let outside: (any OutsideValues)?
  /// The page that the memory belongs to, where that is another one.
  private let owner: RowPage?

  package init(
    capacity: Int, blankNulls: ContiguousArray<UInt64>, outside: (any OutsideValues)?
  ) {
    base = .allocate(byteCount: capacity, alignment: 8)
    self.capacity = capacity
    self.blankNulls = blankNulls
    owner = nil
    self.outside = outside
  }

  /// The rows of another page, whose outside values are read in another way.
  package init(_ page: RowPage, outside: any OutsideValues) {
    base = page.base
    capacity = page.capacity
    blankNulls = page.blankNulls
    owner = page
    self.outside = outside
  }

  /// Whether the rows have this cell, be it null; rows of a few columns leave the others out.
  package func fills(_ cell: Int) -> Bool {
    let word = cell >> 6
    return word < blankNulls.count && blankNulls[word] & (1 << UInt64(cell & 63)) == 0
  }

  deinit {
    if owner == nil { base.deallocate() }
  }
}
