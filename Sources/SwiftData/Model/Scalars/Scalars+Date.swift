public import Foundation
public import OpenSwiftDataRowStorage

extension Date: ScalarCoding {
  package static var scalarType: ScalarType { .date }

  package var storedValue: _StoredValue { .real(timeIntervalSinceReferenceDate) }

  package init?(storedValue: _StoredValue) {
    guard let seconds = Double(storedValue: storedValue) else { return nil }
    self.init(timeIntervalSinceReferenceDate: seconds)
  }
}

extension Date: _ScalarAttribute {
  @inlinable
  public static func _read(_ row: RowReader, _ cell: Int) -> Date? {
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
