/// Consecutive new rows of one entity, which one statement writes.
package struct RowWrites {
  let models: NewModels
  let indices: Range<Int>
  let cells: [SaveStatements.Cell]
  let keys: InsertedKeys
  /// The key of the first row.
  let firstKey: Int64
  /// 1 if each row has the next key; 0 if all have the same one, because most of them get the key
  /// of a stored row.
  let keyStep: Int64

  package var count: Int { indices.count }

  /// Binds the values of each row and calls `run`, until that returns false.
  /// - Returns: The number of rows for which it returned true.
  package func forEach(_ target: some ParameterTarget, _ run: () throws -> Bool) throws -> Int {
    var key = firstKey
    for index in indices {
      try target.bind(key, at: 1)
      try models.cells(at: index).bind(cells, keys, to: target, from: 2)
      guard try run() else { return index - indices.lowerBound }
      key += keyStep
    }
    return indices.count
  }
}
