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
