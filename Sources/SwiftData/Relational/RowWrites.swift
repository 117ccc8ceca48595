/// New rows of one entity, which one statement writes; mostly consecutive ones.
package struct RowWrites {
  let models: NewModels
  /// The indices of the models, or positions in `selection`.
  let indices: Range<Int>
  /// The indices of models that do not follow each other.
  var selection: [Int]?
  let cells: [SaveStatements.Cell]
  let keys: InsertedKeys
  /// The key of the first row.
  let firstKey: Int64
  /// 1 if each row has the next key; 0 if all have the same one, because most of them get the key
  /// of a stored row.
  let keyStep: Int64
  /// The number of rows that one run of the statement writes. Rows at the end that are fewer are not
  /// written.
  var rowsPerRun = 1

  /// How the rows are inserted together; `nil` if each needs a statement.
  var bulk: BulkInsert?

  package var count: Int { indices.count }

  /// How the rows can be inserted together, instead of with a run of the statement for each.
  package var bulkInsert: BulkInsert? { bulk }

  /// The same rows in parts.
  package func parts(ofRows size: Int) -> [RowWrites] {
    stride(from: indices.lowerBound, to: indices.upperBound, by: size).map { start in
      RowWrites(
        models: models, indices: start..<min(start + size, indices.upperBound),
        selection: selection, cells: cells, keys: keys,
        firstKey: firstKey + Int64(start - indices.lowerBound) * keyStep, keyStep: keyStep,
        rowsPerRun: rowsPerRun, bulk: bulk)
    }
  }

  /// Binds the values of the rows of each run and calls `run`, until that returns false.
  /// - Returns: The number of rows for which it returned true.
  package func forEach(_ target: some ParameterTarget, _ run: () throws -> Bool) throws -> Int {
    var key = firstKey
    var rest = indices
    while !rest.isEmpty, rest.count >= rowsPerRun {
      var parameter: Int32 = 1
      for index in rest.prefix(rowsPerRun) {
        try target.bind(key, at: parameter)
        try models.cells(at: selection?[index] ?? index)
          .bind(cells, keys, to: target, from: parameter + 1)
        parameter += Int32(cells.count) + 1
        key += keyStep
      }
      guard try run() else { break }
      rest = rest.dropFirst(rowsPerRun)
    }
    return rest.lowerBound - indices.lowerBound
  }
}

/// A table and its columns, for databases that insert many rows without a statement for each.
package struct BulkInsert: Sendable {
  package let table: String
  /// First those of the parameters, then those with the same value in all rows.
  package let columns: [String]
  /// The values of the last columns.
  package let last: [Int64]
}
