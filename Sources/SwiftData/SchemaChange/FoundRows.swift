/// How many rows a check found, and the identifiers of the first three, as messages name them.
struct FoundRows {
  let count: Int
  let examples: [String]

  /// - Parameter keys: A statement whose rows are primary keys.
  /// - Returns: `nil` where no row is found.
  init?(_ keys: String, in session: any SQLSession) throws {
    let rows = try session.statement(keys).integers(.none)
    if rows.isEmpty { return nil }
    count = rows.count
    examples = rows.prefix(3).map { "p\($0)" }
  }
}
