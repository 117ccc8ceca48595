/// A type that is stored in one column. The conformances are in `Model/Scalars`.
package protocol ScalarCoding: Sendable {
  static var scalarType: ScalarType { get }

  var storedValue: _StoredValue { get }

  /// Converts a stored value; `nil` if it is of another kind or out of range.
  init?(storedValue: _StoredValue)
}
