/// A statement that fails, by a division by zero, if another one returns no row. The count is made whatever the
/// server's plan is, which is not true for a condition that divides.
package enum RequiredRow {
  private static let start = "WITH required AS ("
  private static let end = ") SELECT 1 / count(*) FROM required"

  /// - Parameter sql: A statement that returns rows.
  package static func statement(requiring sql: String) -> String { start + sql + end }

  /// Whether a statement failed because a row is missing.
  package static func isMissing(_ error: PostgresError) -> Bool {
    error.state == "22012" && error.sql?.hasSuffix(end) == true
  }

  /// The statement that returns rows, which logs name; any other statement as it is.
  static func inner(_ sql: String) -> String {
    guard sql.hasPrefix(start), sql.hasSuffix(end) else { return sql }
    return String(sql.dropFirst(start.count).dropLast(end.count))
  }
}
