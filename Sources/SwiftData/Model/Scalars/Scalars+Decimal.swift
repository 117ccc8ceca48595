public import Foundation
public import OpenSwiftDataRowStorage

extension Decimal: ScalarCoding {
  package static var scalarType: ScalarType { .decimal }

  /// A number if that is exact, so that the database can compare and sort it; otherwise text in a
  /// blob. A `Double` represents every decimal of 15 digits.
  package var storedValue: _StoredValue {
    let text = description
    let digits = text.drop { !("1"..."9").contains($0) }.count { $0.isNumber }
    guard !isNaN, digits <= 15 else { return .blob(Data(text.utf8)) }
    if let whole = Int64(text) { return .integer(whole) }
    return Double(text).map(_StoredValue.real) ?? .blob(Data(text.utf8))
  }

  package init?(storedValue: _StoredValue) {
    switch storedValue {
    case .integer(let value): self.init(value)
    case .real(let value): self.init(string: "\(value)")
    case .text(let text): self.init(decimalText: text)
    case .blob(let bytes): self.init(decimalText: String(decoding: bytes, as: UTF8.self))
    case .null: return nil
    }
  }

  private init?(decimalText text: String) {
    if text == "NaN" {
      self = .nan
    } else if let number = Decimal(string: text, locale: nil) {
      self = number
    } else {
      // SQLite writes the smallest numbers as 1.0e-128, whose last digit is beyond the exponents of the type.
      self.init(string: text.replacing(".0e", with: "e"), locale: nil)
    }
  }
}

extension Decimal: _ScalarAttribute {
  public static func _read(_ row: RowReader, _ cell: Int) -> Decimal? {
    Decimal(decimalText: row.text(cell))
  }

  public static func _unwrap(_ slot: _SlotValue) -> Decimal? {
    if case .boxed(let box) = slot { return box.value(as: Decimal.self) }
    return nil
  }

  public var _slotValue: _SlotValue { .boxed(ValueBox(self)) }
  public static var _empty: Decimal { 0 }
}
