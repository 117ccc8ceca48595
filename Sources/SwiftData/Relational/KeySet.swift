/// A set of keys of rows. Adjacent keys that are inserted in ascending order take the memory of one
/// range, and no hashing.
package struct KeySet {
  /// In ascending order, with gaps in between.
  private var ranges: [ClosedRange<Int64>] = []
  /// Keys that were smaller than the largest one when they were inserted.
  private var others: Set<Int64> = []

  package init() {}

  package func contains(_ key: Int64) -> Bool {
    guard let last = ranges.last, key <= last.upperBound else { return false }
    return key >= last.lowerBound || isInRanges(key) || others.contains(key)
  }

  /// - Returns: Whether the key was not in the set.
  package mutating func insert(_ key: Int64) -> Bool {
    guard let last = ranges.last else {
      ranges.append(key...key)
      return true
    }
    if key > last.upperBound {
      if key - 1 == last.upperBound {
        ranges[ranges.count - 1] = last.lowerBound...key
      } else {
        ranges.append(key...key)
      }
      return true
    }
    if key >= last.lowerBound || isInRanges(key) { return false }
    return others.insert(key).inserted
  }

  private func isInRanges(_ key: Int64) -> Bool {
    var (start, end) = (0, ranges.count)
    while start < end {
      let middle = (start + end) / 2
      if ranges[middle].upperBound < key { start = middle + 1 } else { end = middle }
    }
    return start < ranges.count && ranges[start].contains(key)
  }
}
