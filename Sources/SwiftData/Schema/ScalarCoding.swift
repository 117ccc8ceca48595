/// A type that fills one column by itself.
package protocol ScalarCoding {
  static var scalarType: ScalarType { get }

  var storedValue: _StoredValue { get }

  /// Reads a stored value; `nil` when it is of another kind or out of range.
  init?(storedValue: _StoredValue)
}

extension ScalarCoding where Self: FixedWidthInteger {
  package var storedValue: _StoredValue { .integer(Int64(truncatingIfNeeded: self)) }

  package init?(storedValue: _StoredValue) {
    switch storedValue {
    case .integer(let value): self.init(exactly: value)
    case .real(let value): self.init(exactly: value)
    case .null, .text, .blob: return nil
    }
  }
}

extension Int: ScalarCoding { package static var scalarType: ScalarType { .int } }
extension Int8: ScalarCoding { package static var scalarType: ScalarType { .int8 } }
extension Int16: ScalarCoding { package static var scalarType: ScalarType { .int16 } }
extension Int32: ScalarCoding { package static var scalarType: ScalarType { .int32 } }
extension Int64: ScalarCoding { package static var scalarType: ScalarType { .int64 } }
extension UInt8: ScalarCoding { package static var scalarType: ScalarType { .uint8 } }
extension UInt16: ScalarCoding { package static var scalarType: ScalarType { .uint16 } }
extension UInt32: ScalarCoding { package static var scalarType: ScalarType { .uint32 } }

// Columns are signed: the upper half of the unsigned 64-bit range is kept by its bit pattern.

extension UInt: ScalarCoding {
  package static var scalarType: ScalarType { .uint }

  package init?(storedValue: _StoredValue) {
    guard case .integer(let value) = storedValue else { return nil }
    self.init(truncatingIfNeeded: value)
  }
}

extension UInt64: ScalarCoding {
  package static var scalarType: ScalarType { .uint64 }

  package init?(storedValue: _StoredValue) {
    guard case .integer(let value) = storedValue else { return nil }
    self.init(truncatingIfNeeded: value)
  }
}

extension Bool: ScalarCoding {
  package static var scalarType: ScalarType { .bool }

  package var storedValue: _StoredValue { .integer(self ? 1 : 0) }

  package init?(storedValue: _StoredValue) {
    guard case .integer(let value) = storedValue else { return nil }
    self = value != 0
  }
}

extension Double: ScalarCoding {
  package static var scalarType: ScalarType { .double }

  package var storedValue: _StoredValue { .real(self) }

  package init?(storedValue: _StoredValue) {
    switch storedValue {
    case .real(let value): self = value
    case .integer(let value): self = Double(value)
    case .null, .text, .blob: return nil
    }
  }
}

extension Float: ScalarCoding {
  package static var scalarType: ScalarType { .float }

  package var storedValue: _StoredValue { .real(Double(self)) }

  package init?(storedValue: _StoredValue) {
    guard let value = Double(storedValue: storedValue) else { return nil }
    self.init(value)
  }
}

extension String: ScalarCoding {
  package static var scalarType: ScalarType { .string }

  package var storedValue: _StoredValue { .text(self) }

  package init?(storedValue: _StoredValue) {
    guard case .text(let value) = storedValue else { return nil }
    self = value
  }
}
