/// The SQL of a database: how the text of the same statement differs.
///
/// Statements are values without a dialect. `SQLStatement.rendered(in:)` asks the dialect wherever
/// databases differ. `SQLCapabilities` says which features a database has.
package enum SQLDialect: String, Hashable, Sendable, CaseIterable {
  case sqlite
  case postgreSQL
}

extension SQLDialect {
  /// The prefix of a parameter number: `?1`, `$1`.
  package var placeholder: String {
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

  package var isNotSame: String {
    switch self {
    case .sqlite: "IS NOT"
    case .postgreSQL: "IS DISTINCT FROM"
    }
  }

  /// What follows `LIMIT` when only an offset is given; `nil` if `OFFSET` is allowed alone.
  var unlimited: String? {
    switch self {
    case .sqlite: "-1"
    case .postgreSQL: nil
    }
  }

  /// The maximum length of names of tables, columns and indexes in bytes; `nil` if there is none.
  ///
  /// PostgreSQL allows 63. Migrations put four characters before some of them, and a second use of a
  /// name gets a number.
  package var longestName: Int? {
    switch self {
    case .sqlite: nil
    case .postgreSQL: 56
    }
  }

  /// SQLite has no truth values except 0 and 1.
  package func text(of value: Bool) -> String {
    switch self {
    case .sqlite: value ? "1" : "0"
    case .postgreSQL: value ? "TRUE" : "FALSE"
    }
  }

  /// The position of nulls when a term does not set it. `nil` if the database itself orders null
  /// before every value, as `SortDescriptor` does.
  func nulls(_ direction: OrderingTerm.Direction) -> OrderingTerm.NullPlacement? {
    switch self {
    case .sqlite: nil
    case .postgreSQL: direction == .ascending ? .first : .last
    }
  }

  /// How an insert skips a row that already exists: the text before `INTO` and at the end.
  package var ignoring: (prefix: String, suffix: String) {
    switch self {
    case .sqlite: ("INSERT OR IGNORE", "")
    case .postgreSQL: ("INSERT", " ON CONFLICT DO NOTHING")
    }
  }

  /// The text before `INTO` of an insert that keeps the rows before a rejected one; `nil` if a failed
  /// statement undoes all its rows. SQLite needs no journal for such a statement.
  package var stopping: String? {
    switch self {
    case .sqlite: "INSERT OR FAIL"
    case .postgreSQL: nil
    }
  }

  /// What follows the definition of a table whose rows are updated.
  var roomForUpdates: String {
    switch self {
    case .sqlite: ""
    case .postgreSQL: " WITH (fillfactor = 90)"
    }
  }

  /// Whether a statement can read several lists as one table with a column for each.
  package var joinsLists: Bool { self == .postgreSQL }

  /// The value that gives a new row the key after the largest one in its table; `nil` if only a query
  /// can number rows. SQLite finds the end of a table faster than it checks a given key.
  package var nextKey: SQLExpression? {
    switch self {
    case .sqlite: .null
    case .postgreSQL: nil
    }
  }

  /// The collation that compares bytes, for a column of an index. PostgreSQL's text columns already
  /// have it.
  var binaryCollation: String? {
    switch self {
    case .sqlite: "BINARY"
    case .postgreSQL: nil
    }
  }

  /// The collation that compares bytes, for a text that does not come from a column; `nil` if every
  /// text has it. In PostgreSQL such a text has the collation of the database.
  package var textCollation: String? {
    switch self {
    case .sqlite: nil
    case .postgreSQL: "C"
    }
  }

  /// Whether a text may contain the character U+0000.
  package var storesZeroCharacters: Bool { self == .sqlite }

  /// Whether a parameter needs a cast where nothing else says its type, as in `CASE` and `coalesce`.
  package var typesParameters: Bool { self == .postgreSQL }

  /// Whether `<` and `=` compare all digits of decimals, also of long ones.
  package var comparesDecimals: Bool { self == .postgreSQL }

  /// Whether names in definitions of tables and indexes are written without quotes if they need
  /// none.
  var definesBareNames: Bool {
    switch self {
    case .sqlite: true
    case .postgreSQL: false
    }
  }
}
