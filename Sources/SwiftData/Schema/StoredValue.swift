public import Foundation

/// A value in one of the forms that a store keeps in a column.
public enum _StoredValue: Sendable, Hashable {
  /// No value.
  case null
  /// A whole number; booleans are 0 and 1.
  case integer(Int64)
  /// A floating-point number; dates are seconds since 2001.
  case real(Double)
  /// Text.
  case text(String)
  /// Bytes.
  case blob(Data)

  package var isNull: Bool {
    if case .null = self { true } else { false }
  }
}

/// The types that fill one column by themselves.
package enum ScalarType: UInt8, Sendable, Hashable, CaseIterable {
  case int, int8, int16, int32, int64
  case uint, uint8, uint16, uint32, uint64
  case bool
  case double, float
  case string, date, uuid, data, url, decimal
}

/// The numbers that the model of a store uses for types of attributes.
package enum AttributeType: Int16, Sendable, Hashable {
  case int16 = 100
  case int32 = 200
  case int64 = 300
  case decimal = 400
  case double = 500
  case float = 600
  case string = 700
  case bool = 800
  case date = 900
  case binary = 1000
  case uuid = 1100
  case uri = 1200
  case transformable = 1800
  case composite = 2100
}

extension ScalarType {
  /// The attribute type of the scalar. A width that the model lacks takes the next larger one.
  package var attributeType: AttributeType {
    switch self {
    case .int8, .int16, .uint8: .int16
    case .int32, .uint16: .int32
    case .int, .int64, .uint, .uint32, .uint64: .int64
    case .bool: .bool
    case .double: .double
    case .float: .float
    case .string: .string
    case .date: .date
    case .uuid: .uuid
    case .data: .binary
    case .url: .uri
    case .decimal: .decimal
    }
  }
}
