import Foundation

/// The implementation of functions on list columns.
///
/// Each takes the content of the column and the number of the element type.
enum StoredList {
  @Sendable static func contains(_ arguments: [_StoredValue]) -> _StoredValue {
    guard let bytes = arguments[0].encodedBytes else { return .null }
    if case .text(let text) = arguments[2], isPlain(text), bytes.range(of: Data(text.utf8)) == nil {
      return false.storedValue
    }
    let elements = elements(bytes, arguments[1])
    if elements.contains(arguments[2]) { return true.storedValue }
    // A column of dates gives whole seconds as an integer.
    guard case .integer(let number) = arguments[2] else { return false.storedValue }
    return elements.contains(.real(Double(number))).storedValue
  }

  @Sendable static func count(_ arguments: [_StoredValue]) -> _StoredValue {
    guard let bytes = arguments[0].encodedBytes else { return .null }
    return .integer(Int64(elements(bytes, arguments[1]).count))
  }

  @Sendable static func element(_ arguments: [_StoredValue]) -> _StoredValue {
    guard let bytes = arguments[0].encodedBytes, case .integer(let position) = arguments[2] else {
      return .null
    }
    let elements = elements(bytes, arguments[1])
    return elements.indices.contains(Int(position)) ? elements[Int(position)] : .null
  }

  @Sendable static func least(_ arguments: [_StoredValue]) -> _StoredValue {
    guard let bytes = arguments[0].encodedBytes else { return .null }
    return elements(bytes, arguments[1]).min(by: precedes) ?? .null
  }

  @Sendable static func greatest(_ arguments: [_StoredValue]) -> _StoredValue {
    guard let bytes = arguments[0].encodedBytes else { return .null }
    return elements(bytes, arguments[1]).max(by: precedes) ?? .null
  }

  @Sendable static func value(_ arguments: [_StoredValue]) -> _StoredValue {
    guard let bytes = arguments[0].encodedBytes, case .text(let key) = arguments[2],
      let type = scalarType(arguments[1])
    else { return .null }
    func find<T: ScalarCoding & Decodable>(_ type: T.Type) -> _StoredValue {
      let values = ValueDecoding.encoded([String: T].self, bytes: bytes) as? [String: T]
      return values?[key]?.storedValue ?? .null
    }
    return find(type)
  }

  private static func elements(_ bytes: Data, _ code: _StoredValue) -> [_StoredValue] {
    guard let type = scalarType(code) else { return [] }
    func read<T: ScalarCoding & Decodable>(_ type: T.Type) -> [_StoredValue] {
      if let values = ValueDecoding.encoded([T].self, bytes: bytes) as? [T] {
        return values.map(\.storedValue)
      }
      // For a dictionary, its values are counted.
      let values = ValueDecoding.encoded([String: T].self, bytes: bytes) as? [String: T]
      return values?.values.map(\.storedValue) ?? []
    }
    return read(type)
  }

  private static func scalarType(_ code: _StoredValue) -> (any (ScalarCoding & Decodable).Type)? {
    guard case .integer(let number) = code, let raw = UInt8(exactly: number) else { return nil }
    return ScalarType(rawValue: raw)?.swiftType
  }

  /// Whether each equal text has the same bytes in JSON and in an archive, so that a list without
  /// these bytes does not contain it.
  private static func isPlain(_ text: String) -> Bool {
    !text.isEmpty && CanonicalForms.hasOneForm(text)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: " "), UInt8(ascii: "-"),
          UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  private static func precedes(_ first: _StoredValue, _ second: _StoredValue) -> Bool {
    switch (first, second) {
    case (.integer(let first), .integer(let second)): first < second
    case (.real(let first), .real(let second)): first < second
    case (.text(let first), .text(let second)): first < second
    case (.blob(let first), .blob(let second)): first.lexicographicallyPrecedes(second)
    default: false
    }
  }
}
