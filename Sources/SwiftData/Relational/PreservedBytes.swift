import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax

/// The preserved values of deleted rows as bytes, for a database whose columns have one type.
///
/// SQLite stores a value of any type in a column of the history. PostgreSQL gets a `bytea` whose first
/// byte is the tag of the type; the value follows as the server sends it. The statements that record
/// deletions make the bytes on the server (`TableChanges`), so values of batches are not read before.
package enum PreservedBytes {
  /// The first byte. The numbers are part of stored histories.
  private enum Tag: UInt8 {
    case boolean, integer, real, text, blob, decimal
  }

  /// The value of a column for the history, as an expression; null stays null.
  static func expression(of preserved: PreservedColumn, in dialect: SQLDialect) -> SQLExpression {
    let value = SQLExpression.column(table: nil, name: preserved.column.name)
    return switch dialect {
    case .sqlite: preserved.isExternal ? withoutName(value) : value
    case .postgreSQL: tagged(value, of: preserved.column.sqlType)
    }
  }

  /// Null in place of the name of a file, which is removed with the row.
  private static func withoutName(_ value: SQLExpression) -> SQLExpression {
    let tag = SQLExpression.function(
      "hex", [.function("substr", [value, .integer(1), .integer(1)])])
    let isName = SQLExpression.conjunction([
      .binary(tag, .equal, .text("0\(TaggedValue.nameTag)")),
      .binary(
        .function("length", [value]), .lessOrEqual, .integer(Int64(TaggedValue.longestName) + 2)),
    ])
    return .conditional([SQLBranch(when: isName, then: .null)], otherwise: value)
  }

  private static func tagged(_ value: SQLExpression, of type: SQLType) -> SQLExpression {
    func utf8(_ text: SQLExpression) -> SQLExpression {
      .function("convert_to", [text, .text("UTF8")])
    }
    let (tag, bytes): (Tag, SQLExpression) =
      switch type {
      case .boolean: (.boolean, .function("boolsend", [value]))
      case .integer: (.integer, .function("int8send", [value]))
      case .real, .timestamp: (.real, .function("float8send", [value]))
      case .text: (.text, utf8(value))
      case .blob: (.blob, value)
      case .decimal: (.decimal, utf8(.cast(value, to: .text)))
      }
    return .binary(
      .function("decode", [.text("0\(tag.rawValue)"), .text("hex")]), .concatenate, bytes)
  }

  /// The bytes of a value that another store has preserved; `nil` for null.
  package static func bytes(of value: _StoredValue) -> Data? {
    func tagged(_ tag: Tag, _ bytes: some Sequence<UInt8>) -> Data {
      Data([tag.rawValue]) + Data(bytes)
    }
    func bigEndian(_ tag: Tag, _ number: UInt64) -> Data {
      tagged(tag, (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) })
    }
    return switch value {
    case .null: nil
    case .integer(let value): bigEndian(.integer, UInt64(bitPattern: value))
    case .real(let value): bigEndian(.real, value.bitPattern)
    case .text(let value): tagged(.text, value.utf8)
    case .blob(let value): tagged(.blob, value)
    }
  }

  /// The value of bytes from the history.
  /// - Returns: `nil` if the bytes have no known tag, or too few follow it.
  package static func value(of bytes: Data) -> _StoredValue? {
    guard let tag = bytes.first.flatMap(Tag.init) else { return nil }
    let rest = bytes.dropFirst()
    var number: UInt64 { rest.reduce(0) { $0 << 8 | UInt64($1) } }
    switch tag {
    case .boolean where rest.count == 1: return .integer(number == 0 ? 0 : 1)
    case .integer where rest.count == 8: return .integer(Int64(bitPattern: number))
    case .real where rest.count == 8: return .real(Double(bitPattern: number))
    case .boolean, .integer, .real: return nil
    case .text: return String(validating: rest, as: UTF8.self).map { .text($0) }
    case .blob: return .blob(Data(rest))
    case .decimal:
      guard let digits = String(validating: rest, as: UTF8.self) else { return nil }
      return Decimal(storedValue: .text(digits))?.storedValue
    }
  }
}
