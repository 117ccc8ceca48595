public import Foundation
public import OpenSwiftDataRowStorage

extension String: ScalarCoding {
  package static var scalarType: ScalarType { .string }

  package var storedValue: _StoredValue { .text(self) }

  package init?(storedValue: _StoredValue) {
    guard case .text(let value) = storedValue else { return nil }
    self = value
  }
}

extension String: _ScalarAttribute {
  @inlinable
  public static func _read(_ row: RowReader, _ cell: Int) -> String? { row.text(cell) }

  @inlinable
  public static func _unwrap(_ slot: _SlotValue) -> String? {
    if case .text(let value) = slot { return value }
    return nil
  }

  @inlinable public var _slotValue: _SlotValue { .text(self) }
  @inlinable public static var _empty: String { "" }
}

extension URL: ScalarCoding {
  package static var scalarType: ScalarType { .url }

  package var storedValue: _StoredValue { .text(absoluteString) }

  package init?(storedValue: _StoredValue) {
    guard case .text(let text) = storedValue else { return nil }
    self.init(string: text)
  }
}

extension URL: _ScalarAttribute {
  public static func _read(_ row: RowReader, _ cell: Int) -> URL? {
    URL(string: row.text(cell))
  }

  public static func _unwrap(_ slot: _SlotValue) -> URL? {
    if case .boxed(let box) = slot { return box.value(as: URL.self) }
    return nil
  }

  public var _slotValue: _SlotValue { .boxed(ValueBox(self)) }
  public static var _empty: URL { URL(fileURLWithPath: "/") }
}
