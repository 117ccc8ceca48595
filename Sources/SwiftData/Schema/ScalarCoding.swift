/// A type that fills one column by itself. The conformances are in `Model/Scalars`.
package protocol ScalarCoding: Sendable {
  static var scalarType: ScalarType { get }

  var storedValue: _StoredValue { get }

  /// Reads a stored value; `nil` when it is of another kind or out of range.
  init?(storedValue: _StoredValue)
}
