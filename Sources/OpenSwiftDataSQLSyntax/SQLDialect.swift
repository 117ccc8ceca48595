/// The SQL that a database speaks: what differs in the text of the same statement.
///
/// Statements are values that know no dialect; `SQLStatement.rendered(in:)` asks here for each place
/// where databases differ. What a database can do at all is a matter of `SQLCapabilities`.
package enum SQLDialect: String, Hashable, Sendable, CaseIterable {
  case sqlite
  case postgreSQL
}

extension SQLDialect {
  /// What a parameter begins with, before its number: `?1`, `$1`.
  var placeholder: String {
    switch self {
    case .sqlite: "?"
    case .postgreSQL: "$"
    }
  }

  /// The operator that compares two values and treats nulls as equal.
  var isSame: String {
    switch self {
    case .sqlite: "IS"
    case .postgreSQL: "IS NOT DISTINCT FROM"
    }
  }

  var isNotSame: String {
    switch self {
    case .sqlite: "IS NOT"
    case .postgreSQL: "IS DISTINCT FROM"
    }
  }

  /// What stands after `LIMIT` when only an offset is given; `nil` where `OFFSET` may stand alone.
  var unlimited: String? {
    switch self {
    case .sqlite: "-1"
    case .postgreSQL: nil
    }
  }

  /// SQLite has no truth values besides 0 and 1.
  func text(of value: Bool) -> String {
    switch self {
    case .sqlite: value ? "1" : "0"
    case .postgreSQL: value ? "TRUE" : "FALSE"
    }
  }

  /// Where nulls go when a term does not say it; `nil` where the database itself takes null for less
  /// than every value, as `SortDescriptor` does.
  func nulls(_ direction: OrderingTerm.Direction) -> OrderingTerm.NullPlacement? {
    switch self {
    case .sqlite: nil
    case .postgreSQL: direction == .ascending ? .first : .last
    }
  }

  /// How an insert leaves a row out that is there already: before `INTO` or at the end.
  var ignoring: (prefix: String, suffix: String) {
    switch self {
    case .sqlite: ("INSERT OR IGNORE", "")
    case .postgreSQL: ("INSERT", " ON CONFLICT DO NOTHING")
    }
  }

  /// The order of bytes, for a column of an index. PostgreSQL's columns of text have it themselves.
  var binaryCollation: String? {
    switch self {
    case .sqlite: "BINARY"
    case .postgreSQL: nil
    }
  }

  /// Whether definitions of tables and indexes give names without quotes, where these need none.
  var definesBareNames: Bool {
    switch self {
    case .sqlite: true
    case .postgreSQL: false
    }
  }
}
