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

/// The behaviour of a storage that has a row of a few properties instead of its whole row.
extension _ModelStorage {
  /// Whether the partial row contains `slot`, with a value or null.
  func partialRowHas(_ slot: Int) -> Bool {
    guard partialRow != nil, let page else { return false }
    if page.fills(slot) { return true }
    guard let leaf = descriptor.properties[slot].leafCells.first else { return false }
    return page.fills(leaf)
  }

  /// Reads the rest of a partial row, so that a copy of the values is complete.
  func completePartialRow() {
    if partialRow != nil, flags.contains(.isFault) { source?._fill(self) }
  }

  /// Whether the whole row has other values in the cells of the partial one.
  func partialRowDiffers(from row: UnsafeRawPointer?) -> Bool {
    guard let partialRow, let page, let row else { return false }
    return !descriptor.layout.cellsAgree(partialRow, row) { page.fills($0) }
  }

  /// Drops values that were decoded from a row that is no longer shown; unsaved values stay.
  func dropDecodedAttributes() {
    guard overlay != nil else { return }
    for slot in 0..<descriptor.slotCount where !changedSlots.contains(slot) {
      if descriptor.properties[slot].destination == nil { overlay(.unset, at: slot) }
    }
  }
}

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
