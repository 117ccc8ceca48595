import OpenSwiftDataSQLiteEngine

/// How many rows a check found, and the identifiers of the first three, as messages name them.
struct FoundRows {
  private(set) var count = 0
  private(set) var examples: [String] = []

  /// - Parameter keys: A statement whose rows are primary keys.
  /// - Returns: `nil` where no row is found.
  init?(_ keys: String, in connection: Connection) throws {
    let rows = try connection.prepare(keys)
    defer { rows.reset() }
    while try rows.step() {
      count += 1
      if examples.count < 3 { examples.append("p\(rows.int64(0))") }
    }
    if count == 0 { return nil }
  }
}
