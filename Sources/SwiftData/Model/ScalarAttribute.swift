public import Foundation
public import OpenSwiftDataRowStorage

/// A type that fills one cell of a row, read and written without Codable.
public protocol _ScalarAttribute: Codable {
  /// Reads a cell that is not null.
  static func _read(_ row: RowReader, _ cell: Int) -> Self
  /// The value of a slot; `nil` when the slot holds another kind.
  static func _unwrap(_ slot: _SlotValue) -> Self?
  /// This value as a slot keeps it.
  var _slotValue: _SlotValue { get }
  /// What a required property without any value reads as.
  static var _empty: Self { get }
}

extension _ScalarAttribute where Self: FixedWidthInteger {
  @inlinable
  public static func _read(_ row: RowReader, _ cell: Int) -> Self {
    Self(truncatingIfNeeded: row.integer(cell))
  }

  @inlinable
  public static func _unwrap(_ slot: _SlotValue) -> Self? {
    if case .integer(let value) = slot { return Self(truncatingIfNeeded: value) }
    return nil
  }

  @inlinable public var _slotValue: _SlotValue { .integer(Int64(truncatingIfNeeded: self)) }
  @inlinable public static var _empty: Self { 0 }
}

extension Int: _ScalarAttribute {}
extension Int8: _ScalarAttribute {}
extension Int16: _ScalarAttribute {}
extension Int32: _ScalarAttribute {}
extension Int64: _ScalarAttribute {}
extension UInt: _ScalarAttribute {}
extension UInt8: _ScalarAttribute {}
extension UInt16: _ScalarAttribute {}
extension UInt32: _ScalarAttribute {}
extension UInt64: _ScalarAttribute {}

extension Bool: _ScalarAttribute {
  @inlinable
  public static func _read(_ row: RowReader, _ cell: Int) -> Bool { row.integer(cell) != 0 }

  @inlinable
  public static func _unwrap(_ slot: _SlotValue) -> Bool? {
    if case .integer(let value) = slot { return value != 0 }
    return nil
  }

  @inlinable public var _slotValue: _SlotValue { .integer(self ? 1 : 0) }
  @inlinable public static var _empty: Bool { false }
}

extension Double: _ScalarAttribute {
  @inlinable
  public static func _read(_ row: RowReader, _ cell: Int) -> Double { row.real(cell) }

  @inlinable
  public static func _unwrap(_ slot: _SlotValue) -> Double? {
    if case .real(let value) = slot { return value }
    return nil
  }

  @inlinable public var _slotValue: _SlotValue { .real(self) }
  @inlinable public static var _empty: Double { 0 }
}

extension Float: _ScalarAttribute {
  @inlinable
  public static func _read(_ row: RowReader, _ cell: Int) -> Float { Float(row.real(cell)) }

  @inlinable
  public static func _unwrap(_ slot: _SlotValue) -> Float? {
    if case .real(let value) = slot { return Float(value) }
    return nil
  }

  @inlinable public var _slotValue: _SlotValue { .real(Double(self)) }
  @inlinable public static var _empty: Float { 0 }
}

extension Date: _ScalarAttribute {
  @inlinable
  public static func _read(_ row: RowReader, _ cell: Int) -> Date {
    Date(timeIntervalSinceReferenceDate: row.real(cell))
  }

  @inlinable
  public static func _unwrap(_ slot: _SlotValue) -> Date? {
    if case .real(let value) = slot { return Date(timeIntervalSinceReferenceDate: value) }
    return nil
  }

  @inlinable public var _slotValue: _SlotValue { .real(timeIntervalSinceReferenceDate) }
  @inlinable public static var _empty: Date { Date(timeIntervalSinceReferenceDate: 0) }
}

extension String: _ScalarAttribute {
  @inlinable
  public static func _read(_ row: RowReader, _ cell: Int) -> String { row.text(cell) }

  @inlinable
  public static func _unwrap(_ slot: _SlotValue) -> String? {
    if case .text(let value) = slot { return value }
    return nil
  }

  @inlinable public var _slotValue: _SlotValue { .text(self) }
  @inlinable public static var _empty: String { "" }
}

extension Data: _ScalarAttribute {
  @inlinable
  public static func _read(_ row: RowReader, _ cell: Int) -> Data { Data(row.bytes(cell)) }

  @inlinable
  public static func _unwrap(_ slot: _SlotValue) -> Data? {
    if case .blob(let value) = slot { return value }
    return nil
  }

  @inlinable public var _slotValue: _SlotValue { .blob(self) }
  @inlinable public static var _empty: Data { Data() }
}

extension UUID: _ScalarAttribute {
  @inlinable
  public static func _read(_ row: RowReader, _ cell: Int) -> UUID {
    let bytes = row.bytes(cell)
    guard bytes.count == 16 else { return _empty }
    return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
  }

  @inlinable
  public static func _unwrap(_ slot: _SlotValue) -> UUID? {
    if case .uuid(let value) = slot { return value }
    return nil
  }

  @inlinable public var _slotValue: _SlotValue { .uuid(self) }

  @inlinable
  public static var _empty: UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }
}

extension URL: _ScalarAttribute {
  public static func _read(_ row: RowReader, _ cell: Int) -> URL {
    URL(string: row.text(cell)) ?? _empty
  }

  public static func _unwrap(_ slot: _SlotValue) -> URL? {
    if case .boxed(let box) = slot { return box.value(as: URL.self) }
    return nil
  }

  public var _slotValue: _SlotValue { .boxed(ValueBox(self)) }
  public static var _empty: URL { URL(fileURLWithPath: "/") }
}

extension Decimal: _ScalarAttribute {
  public static func _read(_ row: RowReader, _ cell: Int) -> Decimal {
    Decimal(string: row.text(cell), locale: nil) ?? _empty
  }

  public static func _unwrap(_ slot: _SlotValue) -> Decimal? {
    if case .boxed(let box) = slot { return box.value(as: Decimal.self) }
    return nil
  }

  public var _slotValue: _SlotValue { .boxed(ValueBox(self)) }
  public static var _empty: Decimal { 0 }
}
