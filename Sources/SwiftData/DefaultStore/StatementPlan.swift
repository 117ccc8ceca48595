import OpenSwiftDataSQLiteEngine

/// A store whose database explains how it runs a statement.
package protocol PlanProviding: DataStore, Sendable {
  /// The plan of a statement without its values, one line a step; the statement does not run.
  func queryPlan(of sql: String) throws -> [String]
}

extension DefaultStore: PlanProviding {
  /// SQLite's plan for a statement, one line a step, indented by depth; parameters count as null.
  /// - Throws: `SQLiteError` if the text can't be prepared; the statement itself does not run.
  package func queryPlan(of sql: String) throws -> [String] {
    try pool.read { connection in
      let statement = try connection.prepare("EXPLAIN QUERY PLAN \(sql)")
      var depths: [Int64: Int] = [0: 0]
      var lines: [String] = []
      while try statement.step() {
        let depth = depths[statement.int64(1)] ?? 0
        depths[statement.int64(0)] = depth + 1
        lines.append(String(repeating: "  ", count: depth) + statement.string(3))
      }
      return lines
    }
  }
}
