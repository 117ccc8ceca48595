/// A block of memory that holds finished rows; rows never move, and live as long as the page.
///
/// Written by one `RowBuilder`, read by anybody once the builder has finished a row: the bytes
/// of a finished row are never written again, which is what makes the page `Sendable`.
public final class RowPage: @unchecked Sendable {
  @usableFromInline package let base: UnsafeMutableRawPointer
  @usableFromInline package let capacity: Int

  @usableFromInline
  package init(capacity: Int) {
    base = .allocate(byteCount: capacity, alignment: 8)
    self.capacity = capacity
  }

  deinit { base.deallocate() }
}
