import OpenSwiftDataRowStorage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Compares two rows cell by cell. Called when a model gets another row, by `RowView` and by
/// `DefaultSnapshot`.
extension RowLayout {
  /// Whether two rows have the same values in the cells that `isCompared` selects.
  func cellsAgree(
    _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, where isCompared: (Int) -> Bool
  ) -> Bool {
    let left = RowReader(row: left, cellsOffset: cellsOffset)
    let right = RowReader(row: right, cellsOffset: cellsOffset)
    return kinds.indices.allSatisfy { !isCompared($0) || agrees($0, left, right) }
  }

  /// Whether two rows have the same value in a cell: a value, null, or the name of one stored
  /// outside.
  func agrees(_ cell: Int, _ left: RowReader, _ right: RowReader) -> Bool {
    guard left.isNull(cell) == right.isNull(cell) else { return false }
    switch kinds[cell] {
    case .integer, .real: return left.isNull(cell) || left.integer(cell) == right.integer(cell)
    case .text, .blob:
      let (mine, other) = (left.bytes(cell), right.bytes(cell))
      guard mine.count == other.count else { return false }
      guard let start = mine.baseAddress, let end = other.baseAddress else { return true }
      return memcmp(start, end, mine.count) == 0
    }
  }
}
