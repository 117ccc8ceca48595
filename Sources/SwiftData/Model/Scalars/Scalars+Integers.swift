public import OpenSwiftDataRowStorage

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

extension _ScalarAttribute where Self: FixedWidthInteger {
  @inlinable
  public static func _read(_ row: RowReader, _ cell: Int) -> Self? {
    // 64-bit types contain every number; unsigned ones are stored by their bit pattern.
    if Self.bitWidth == 64 { return Self(truncatingIfNeeded: row.integer(cell)) }
    return Self(exactly: row.integer(cell))
  }

  @inlinable
  public static func _unwrap(_ slot: _SlotValue) -> Self? {
    if case .integer(let value) = slot { return Self(truncatingIfNeeded: value) }
    return nil
  }

  @inlinable public var _slotValue: _SlotValue { .integer(Int64(truncatingIfNeeded: self)) }
  @inlinable public static var _empty: Self { 0 }
}

extension Int: ScalarCoding, _ScalarAttribute {
  package static var scalarType: ScalarType { .int }
}

extension Int8: ScalarCoding, _ScalarAttribute {
  package static var scalarType: ScalarType { .int8 }
}

extension Int16: ScalarCoding, _ScalarAttribute {
  package static var scalarType: ScalarType { .int16 }
}

extension Int32: ScalarCoding, _ScalarAttribute {
  package static var scalarType: ScalarType { .int32 }
}

extension Int64: ScalarCoding, _ScalarAttribute {
  package static var scalarType: ScalarType { .int64 }
}

extension UInt8: ScalarCoding, _ScalarAttribute {
  package static var scalarType: ScalarType { .uint8 }
}

extension UInt16: ScalarCoding, _ScalarAttribute {
  package static var scalarType: ScalarType { .uint16 }
}

extension UInt32: ScalarCoding, _ScalarAttribute {
  package static var scalarType: ScalarType { .uint32 }
}

// Columns are signed: the upper half of the unsigned 64-bit range is stored by its bit pattern.

extension UInt: ScalarCoding, _ScalarAttribute {
  package static var scalarType: ScalarType { .uint }

  package init?(storedValue: _StoredValue) {
    guard case .integer(let value) = storedValue else { return nil }
    self.init(truncatingIfNeeded: value)
  }
}

extension UInt64: ScalarCoding, _ScalarAttribute {
  package static var scalarType: ScalarType { .uint64 }

  package init?(storedValue: _StoredValue) {
    guard case .integer(let value) = storedValue else { return nil }
    self.init(truncatingIfNeeded: value)
  }
}
