/// The type of a column or a cast, named for what is stored and not after a dialect.
package enum SQLType: Hashable, Sendable {
  /// A 64-bit integer.
  case integer
  /// 0 and 1, or a truth value if the database has them.
  case boolean
  case real
  /// Seconds since 2001-01-01, as a floating-point number.
  case timestamp
  case decimal
  /// Text that is compared byte by byte.
  case text
  case blob
}

extension SQLType {
  /// The name in a column definition. The names for SQLite are those that Apple's framework writes.
  package func columnName(in dialect: SQLDialect) -> String {
    switch (dialect, self) {
    case (.sqlite, .integer), (.sqlite, .boolean): "INTEGER"
    case (.sqlite, .real): "FLOAT"
    case (.sqlite, .timestamp): "TIMESTAMP"
    case (.sqlite, .decimal): "DECIMAL"
    case (.sqlite, .text): "VARCHAR"
    case (.sqlite, .blob): "BLOB"
    // Indexes and comparisons use bytes, as in SQLite, whatever the server's locale is.
    case (.postgreSQL, .text): "TEXT COLLATE \"C\""
    case (.postgreSQL, _): name(in: dialect)
    }
  }

  /// The name in a cast.
  package func name(in dialect: SQLDialect) -> String {
    switch (dialect, self) {
    case (.sqlite, .integer), (.sqlite, .boolean): "INTEGER"
    case (.sqlite, .real), (.sqlite, .timestamp): "REAL"
    case (.sqlite, .decimal): "NUMERIC"
    case (.sqlite, .text): "TEXT"
    case (.sqlite, .blob): "BLOB"
    case (.postgreSQL, .integer): "BIGINT"
    case (.postgreSQL, .boolean): "BOOLEAN"
    case (.postgreSQL, .real), (.postgreSQL, .timestamp): "DOUBLE PRECISION"
    case (.postgreSQL, .decimal): "NUMERIC"
    case (.postgreSQL, .text): "TEXT"
    case (.postgreSQL, .blob): "BYTEA"
    }
  }
}
