/// What differs between databases in the text of the same statement.
package struct SQLDialect: Hashable, Sendable {
  package enum Placeholder: Hashable, Sendable {
    /// `?1`, `?2` …
    case questionMark
    /// `$1`, `$2` …
    case dollar
  }

  package var placeholder: Placeholder
  /// The operator that compares two values and treats nulls as equal.
  package var isSame: String
  package var isNotSame: String
  /// What stands after `LIMIT` when only an offset is given; `nil` when `OFFSET` may stand alone.
  package var unlimited: String?

  /// SQLite, and databases that speak its SQL.
  package static let sqlite = SQLDialect(
    placeholder: .questionMark, isSame: "IS", isNotSame: "IS NOT", unlimited: "-1")

  /// PostgreSQL.
  package static let postgres = SQLDialect(
    placeholder: .dollar, isSame: "IS NOT DISTINCT FROM", isNotSame: "IS DISTINCT FROM",
    unlimited: nil)
}
