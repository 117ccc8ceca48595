package import Foundation

/// A value of a parameter or a column.
package enum PostgresValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  case real(Float)
  case numeric(Decimal)
  case text(String)
  case bytes(Data)
  case uuid(UUID)
  case array([PostgresValue])

  /// The form of the value in errors, which do not contain the value itself.
  var kind: String {
    switch self {
    case .null: "null"
    case .boolean: "a truth value"
    case .integer: "an integer"
    case .double, .real: "a floating-point number"
    case .numeric: "a decimal number"
    case .text: "a text"
    case .bytes: "bytes"
    case .uuid: "a UUID"
    case .array: "an array"
    }
  }
}
