/// Many keys in ascending order, most of the keys between the first and the last one.
///
/// Their rows are read as one range of the table, and rows with other keys are skipped. That costs
/// half of a look-up for each key in a list. `RelationalStore` reads the batches of a fetch in this way.
package struct RowKeyRange {
  private let keys: ContiguousArray<Int64>

  /// With fewer keys, the list costs less than this check and its copy.
  private static var smallest: Int { 64 }

  /// - Returns: `nil` if the rows have to be looked up by key.
  package init?(_ keys: some Collection<Int64>) {
    guard keys.count >= RowKeyRange.smallest else { return nil }
    let keys = ContiguousArray(keys)
    guard let first = keys.first, let last = keys.last, first >= 0,
      last - first < 2 * Int64(keys.count),
      zip(keys, keys.dropFirst()).allSatisfy({ $0 < $1 })
    else { return nil }
    self.keys = keys
  }

  var first: Int64 { keys[0] }
  var last: Int64 { keys[keys.count - 1] }

  /// Tells for ascending keys of rows whether they are among the keys.
  package struct Cursor {
    private let keys: ContiguousArray<Int64>
    private var position = 0

    /// - Parameter range: The keys; `nil` if all rows are wanted.
    package init(_ range: RowKeyRange?) { keys = range?.keys ?? [] }

    package mutating func contains(_ key: Int64) -> Bool {
      if keys.isEmpty { return true }
      while position < keys.count, keys[position] < key { position += 1 }
      return position < keys.count && keys[position] == key
    }
  }
}
