/// New rows of one entity, which one statement inserts.
package struct RowWrites {
  let snapshots: ArraySlice<DefaultSnapshot>
  let rowKeys: ArraySlice<Int64>
  let columns: [SaveStatements.Column]
  let keys: InsertedKeys

  package var count: Int { snapshots.count }

  /// Calls `run` for each row, after binding its values.
  package func forEach(_ target: some ParameterTarget, _ run: () throws -> Void) throws {
    for (snapshot, key) in zip(snapshots, rowKeys) {
      try target.bind(key, at: 1)
      var index: Int32 = 2
      for column in columns {
        try RowValues.bind(snapshot, column, keys, to: target, at: index)
        index += 1
      }
      try run()
    }
  }
}
