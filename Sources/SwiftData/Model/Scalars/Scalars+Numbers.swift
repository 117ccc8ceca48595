public import Foundation
public import OpenSwiftDataRowStorage

extension Bool: ScalarCoding {
  package static var scalarType: ScalarType { .bool }

  package var storedValue: _StoredValue { .integer(self ? 1 : 0) }

  package init?(storedValue: _StoredValue) {
    guard case .integer(let value) = storedValue else { return nil }
    self = value != 0
  }
}

extension Bool: _ScalarAttribute {
  @inlinable
  public static func _read(_ row: RowReader, _ cell: Int) -> Bool? { row.integer(cell) != 0 }

  @inlinable
  public static func _unwrap(_ slot: _SlotValue) -> Bool? {
    if case .integer(let value) = slot { return value != 0 }
    return nil
  }

  @inlinable public var _slotValue: _SlotValue { .integer(self ? 1 : 0) }
  @inlinable public static var _empty: Bool { false }
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

extension Double: _ScalarAttribute {
  @inlinable
  public static func _read(_ row: RowReader, _ cell: Int) -> Double? { row.real(cell) }

  @inlinable
  public static func _unwrap(_ slot: _SlotValue) -> Double? {
    if case .real(let value) = slot { return value }
    return nil
  }

  @inlinable public var _slotValue: _SlotValue { .real(self) }
  @inlinable public static var _empty: Double { 0 }
}

extension Float: ScalarCoding {
  package static var scalarType: ScalarType { .float }

  package var storedValue: _StoredValue { .real(Double(self)) }

  package init?(storedValue: _StoredValue) {
    guard let value = Double(storedValue: storedValue) else { return nil }
    self.init(value)
  }
}

extension Float: _ScalarAttribute {
  @inlinable
  public static func _read(_ row: RowReader, _ cell: Int) -> Float? { Float(row.real(cell)) }

  @inlinable
  public static func _unwrap(_ slot: _SlotValue) -> Float? {
    if case .real(let value) = slot { return Float(value) }
    return nil
  }

  @inlinable public var _slotValue: _SlotValue { .real(Double(self)) }
  @inlinable public static var _empty: Float { 0 }
}

/// Stored as `Double`.
extension CGFloat: ScalarCoding {
  package static var scalarType: ScalarType { .double }

  package var storedValue: _StoredValue { .real(Double(self)) }

  package init?(storedValue: _StoredValue) {
    guard let value = Double(storedValue: storedValue) else { return nil }
    self.init(value)
  }
}

extension CGFloat: _ScalarAttribute {
  @inlinable
  public static func _read(_ row: RowReader, _ cell: Int) -> CGFloat? { CGFloat(row.real(cell)) }

  @inlinable
  public static func _unwrap(_ slot: _SlotValue) -> CGFloat? {
    if case .real(let value) = slot { return CGFloat(value) }
    return nil
  }

  @inlinable public var _slotValue: _SlotValue { .real(Double(self)) }
  @inlinable public static var _empty: CGFloat { 0 }
}
