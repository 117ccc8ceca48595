public import Foundation

/// A value in the form in which a store keeps it in a column.
public enum _StoredValue: Sendable, Hashable {
  /// Null.
  case null
  /// An integer; booleans are 0 and 1.
  case integer(Int64)
  /// A floating-point number; dates are seconds since 2001-01-01.
  case real(Double)
  /// Text.
  case text(String)
  /// Bytes.
  case blob(Data)

  package var isNull: Bool {
    if case .null = self { true } else { false }
  }
}

extension _StoredValue {
  /// Whether the value equals no value, itself included.
  var isNaN: Bool {
    if case .real(let number) = self { number.isNaN } else { false }
  }
}

// The value as one of its forms; nil if it has another one.
extension _StoredValue {
  var integer: Int64? {
    if case .integer(let value) = self { return value }
    return nil
  }

  /// Whole numbers may be stored as integers.
  var real: Double? {
    switch self {
    case .real(let value): value
    case .integer(let value): Double(value)
    case .null, .text, .blob: nil
    }
  }

  var text: String? {
    if case .text(let value) = self { return value }
    return nil
  }

  var blob: Data? {
    if case .blob(let value) = self { return value }
    return nil
  }

  /// The bytes of a value that was encoded, which a column keeps as text or bytes.
  var encodedBytes: Data? {
    switch self {
    case .text(let text): Data(text.utf8)
    case .blob(let bytes): bytes
    case .null, .integer, .real: nil
    }
  }
}
