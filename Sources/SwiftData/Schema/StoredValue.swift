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
