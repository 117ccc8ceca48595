package import Foundation

extension Date: ScalarCoding {
  package static var scalarType: ScalarType { .date }

  package var storedValue: _StoredValue { .real(timeIntervalSinceReferenceDate) }

  package init?(storedValue: _StoredValue) {
    guard let seconds = Double(storedValue: storedValue) else { return nil }
    self.init(timeIntervalSinceReferenceDate: seconds)
  }
}

extension UUID: ScalarCoding {
  package static var scalarType: ScalarType { .uuid }

  package var storedValue: _StoredValue {
    .blob(withUnsafeBytes(of: uuid) { Data($0) })
  }

  package init?(storedValue: _StoredValue) {
    switch storedValue {
    case .blob(let bytes) where bytes.count == 16:
      var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
      _ = withUnsafeMutableBytes(of: &value) { bytes.copyBytes(to: $0) }
      self.init(uuid: value)
    case .text(let text): self.init(uuidString: text)
    case .null, .integer, .real, .blob: return nil
    }
  }
}

extension Data: ScalarCoding {
  package static var scalarType: ScalarType { .data }

  package var storedValue: _StoredValue { .blob(self) }

  package init?(storedValue: _StoredValue) {
    switch storedValue {
    case .blob(let bytes): self = bytes
    case .text(let text): self.init(text.utf8)
    case .null, .integer, .real: return nil
    }
  }
}

extension URL: ScalarCoding {
  package static var scalarType: ScalarType { .url }

  package var storedValue: _StoredValue { .text(absoluteString) }

  package init?(storedValue: _StoredValue) {
    guard case .text(let text) = storedValue else { return nil }
    self.init(string: text)
  }
}

extension CGFloat: ScalarCoding {
  package static var scalarType: ScalarType { .double }

  package var storedValue: _StoredValue { .real(Double(self)) }

  package init?(storedValue: _StoredValue) {
    guard let value = Double(storedValue: storedValue) else { return nil }
    self.init(value)
  }
}

extension Decimal: ScalarCoding {
  package static var scalarType: ScalarType { .decimal }

  /// A number where that is exact, so that the database compares and sorts it; text in a blob
  /// otherwise. A `Double` holds every decimal of 15 digits.
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
    if text == "NaN" { self = .nan } else { self.init(string: text) }
  }
}
