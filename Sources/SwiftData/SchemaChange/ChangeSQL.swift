import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// The quoted names of the columns that every entity table has, in statements of a migration.
enum RowTerms {
  static let key = RowColumns.key.quotedName
  static let entity = RowColumns.entity.quotedName
  static let version = RowColumns.version.quotedName
}

/// The quoted names of the history's changes, in statements of a migration.
enum HistoryTerms {
  static let table = HistoryTables.Entity.change.table.quotedName
  static let type = HistoryTables.Change.type.quotedName
  static let entity = HistoryTables.Change.entity.quotedName
  static let key = HistoryTables.Change.key.quotedName
  static let firstKey = HistoryTables.Change.firstKey.quotedName
  static let transaction = HistoryTables.Change.transaction.quotedName
  static let columns = HistoryTables.Change.columns.quotedName
}

/// The terms of migration statements for which databases need different texts.
struct ChangeSQL: Hashable, Sendable {
  let dialect: SQLDialect

  /// A condition that is true when two terms are different; null is equal to null.
  func areDifferent(_ first: String, _ second: String) -> String {
    "(\(first)) \(dialect.isNotSame) \(second)"
  }

  func parameter(_ number: Int) -> String { "\(dialect.placeholder)\(number)" }

  /// An insertion that skips existing rows.
  func insertIgnoring(into table: String, _ selection: String) -> String {
    "\(dialect.ignoring.prefix) INTO \(table) \(selection)\(dialect.ignoring.suffix)"
  }

  /// A term as a value of a column. PostgreSQL takes a null without a type for text.
  func typed(_ term: String, as type: SQLType) -> String {
    switch dialect {
    case .sqlite: term
    case .postgreSQL: "CAST(\(term) AS \(type.name(in: dialect)))"
    }
  }

  /// A condition that is true for bytes that contain others.
  func contains(_ bytes: String, _ part: Data) -> String {
    let part = literal(.blob(part), of: .binary)
    return switch dialect {
    case .sqlite: "instr(\(bytes), \(part)) > 0"
    case .postgreSQL: "position(\(part) IN \(bytes)) > 0"
    }
  }

  // MARK: Literals

  /// A value in a column of the type. Independent of the server's setting `standard_conforming_strings`.
  func literal(_ value: _StoredValue, of type: AttributeType) -> String {
    guard dialect == .postgreSQL else { return value.literal }
    switch value {
    case .null: return "NULL"
    case .integer(let number) where type == .boolean:
      return dialect.text(of: number != 0)
    case .integer: return value.literal
    case .real(let number):
      if number.isFinite { return "\(number)" }
      let name = number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity"
      return "'\(name)'::\(type == .decimal ? "numeric" : "double precision")"
    // `DeclaredDefaults` refuses a text with a zero.
    case .text(let text):
      return type == .decimal ? "'\(text)'::numeric" : ChangeSQL.quoted(text)
    case .blob(let bytes) where type == .decimal:
      return "'\(String(decoding: bytes, as: UTF8.self))'::numeric"
    case .blob(let bytes):
      let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
      return "decode('\(digits.joined())', 'hex')"
    }
  }

  private static func quoted(_ text: String) -> String {
    let quoted = text.quotedText
    guard quoted.utf8.contains(UInt8(ascii: "\\")) else { return quoted }
    // A backslash with a mark after it is another character, so scalars are examined.
    var escaped = "E"
    for scalar in quoted.unicodeScalars {
      if scalar == "\\" { escaped.unicodeScalars.append(scalar) }
      escaped.unicodeScalars.append(scalar)
    }
    return escaped
  }

  /// A valid value for the model, until code sets another one.
  func placeholder(_ type: AttributeType) -> String {
    switch type {
    case .integer16, .integer32, .integer64, .decimal: "0"
    case .boolean: dialect.text(of: false)
    case .double, .float, .date: "0.0"
    case .string, .uri: "''"
    case .uuid:
      dialect == .sqlite
        ? "zeroblob(16)" : literal(.blob(Data(count: 16)), of: type)
    case .binary: literal(.blob(Data()), of: type)
    case .transformable, .composite: "NULL"
    }
  }

  // MARK: Conversions

  func real(_ term: String) -> String {
    switch dialect {
    case .sqlite: "CAST(\(term) AS REAL)"
    case .postgreSQL: "CAST(\(term) AS DOUBLE PRECISION)"
    }
  }

  /// A floating-point number without its fraction. PostgreSQL would round, and throw for numbers out
  /// of range.
  func integer(fromReal term: String) -> String {
    switch dialect {
    case .sqlite: "CAST(\(term) AS INTEGER)"
    case .postgreSQL:
      """
      (CASE WHEN \(term) >= -9223372036854775808.0 AND \(term) < 9223372036854775808.0 \
      THEN CAST(trunc(\(term)) AS BIGINT) END)
      """
    }
  }

  func integer(fromBoolean term: String) -> String {
    dialect == .sqlite ? term : "CAST(CAST(\(term) AS INTEGER) AS BIGINT)"
  }

  func boolean(fromInteger term: String) -> String {
    dialect == .sqlite ? term : "(\(term) <> 0)"
  }

  /// The condition that a number of type Double is also one of type Float. In PostgreSQL a cast of
  /// other numbers throws; numbers that only the smallest steps of Float hold count as others.
  func isFloat(_ term: String) -> String {
    switch dialect {
    case .sqlite: "\(MigrationFunction.isFloat)(\(term))"
    case .postgreSQL:
      """
      (CASE WHEN \(term) = 'NaN' OR abs(\(term)) = 'Infinity' OR \(term) = 0 THEN TRUE \
      WHEN abs(\(term)) > 3.4028234663852886e38 OR abs(\(term)) < 1.1754943508222875e-38 THEN FALSE \
      ELSE CAST(CAST(\(term) AS REAL) AS DOUBLE PRECISION) = \(term) END)
      """
    }
  }

  /// The condition that a floating-point number is NaN. SQLite stores it as null, so there it can be
  /// told from a missing value only if the property is required.
  func isNaN(_ term: String, isOptional: Bool) -> String? {
    switch dialect {
    case .sqlite: isOptional ? nil : "\(term) IS NULL"
    case .postgreSQL:
      isOptional ? "\(term) = 'NaN'" : "(\(term) IS NULL OR \(term) = 'NaN')"
    }
  }
}
