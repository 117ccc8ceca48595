import Foundation

/// A type whose values have a text or number of their own in a document.
///
/// All other `Codable` types are encoded in parts, down to values of these types.
protocol DocumentScalar {
  /// `nil` for a value that has to be encoded in parts.
  var documentValue: DocumentValue? { get }

  /// - Returns: `nil` if the value is not one of this type.
  static func read(_ value: DocumentValue) -> Self?
}

extension Bool: DocumentScalar {
  var documentValue: DocumentValue? { .boolean(self) }

  static func read(_ value: DocumentValue) -> Bool? {
    guard case .boolean(let value) = value else { return nil }
    return value
  }
}

extension String: DocumentScalar {
  var documentValue: DocumentValue? { .string(self) }

  static func read(_ value: DocumentValue) -> String? {
    guard case .string(let value) = value else { return nil }
    return value
  }
}

// MARK: Numbers

extension DocumentScalar where Self: FixedWidthInteger {
  var documentValue: DocumentValue? { .number(description) }

  static func read(_ value: DocumentValue) -> Self? {
    guard case .number(let text) = value else { return nil }
    return Self(text)
  }
}

extension Int: DocumentScalar {}
extension Int8: DocumentScalar {}
extension Int16: DocumentScalar {}
extension Int32: DocumentScalar {}
extension Int64: DocumentScalar {}
extension UInt: DocumentScalar {}
extension UInt8: DocumentScalar {}
extension UInt16: DocumentScalar {}
extension UInt32: DocumentScalar {}
extension UInt64: DocumentScalar {}
extension Int128: DocumentScalar {}
extension UInt128: DocumentScalar {}

extension DocumentScalar where Self: BinaryFloatingPoint & LosslessStringConvertible {
  /// The shortest digits that give the same number. JSON has no numbers that are not finite.
  var documentValue: DocumentValue? {
    if isNaN { return .string("NaN") }
    if isInfinite { return .string(self < 0 ? "-Infinity" : "Infinity") }
    return .number(description)
  }

  static func read(_ value: DocumentValue) -> Self? {
    switch value {
    // A number that is too large for the type would become infinite.
    case .number(let text): Self(text).flatMap { $0.isFinite ? $0 : nil }
    case .string("NaN"): .nan
    case .string("Infinity"): .infinity
    case .string("-Infinity"): -.infinity
    default: nil
    }
  }
}

extension Double: DocumentScalar {}
extension Float: DocumentScalar {}

/// A text, because other programs would read a number as a `Double`.
extension Decimal: DocumentScalar {
  var documentValue: DocumentValue? { .string(isNaN ? "NaN" : description) }

  static func read(_ value: DocumentValue) -> Decimal? {
    switch value {
    case .string("NaN"): return .nan
    case .string(let text), .number(let text):
      // Foundation reads the beginning of a text that is no number: "1e" as 1, and "--" as 0.
      guard text.allSatisfy({ $0.isASCII && ($0.isNumber || "+-.eE".contains($0)) }),
        Double(text) != nil
      else { return nil }
      return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    default: return nil
    }
  }
}

// MARK: Texts

extension Date: DocumentScalar {
  var documentValue: DocumentValue? { .string(DateText.text(of: self)) }

  static func read(_ value: DocumentValue) -> Date? {
    guard case .string(let text) = value else { return nil }
    return DateText.date(text)
  }
}

extension Data: DocumentScalar {
  var documentValue: DocumentValue? { .string(base64EncodedString()) }

  static func read(_ value: DocumentValue) -> Data? {
    guard case .string(let text) = value else { return nil }
    return Data(base64Encoded: text)
  }
}

extension UUID: DocumentScalar {
  var documentValue: DocumentValue? { .string(uuidString) }

  static func read(_ value: DocumentValue) -> UUID? {
    guard case .string(let text) = value else { return nil }
    return UUID(uuidString: text)
  }
}

/// A URL with a base is encoded in parts.
extension URL: DocumentScalar {
  var documentValue: DocumentValue? { baseURL == nil ? .string(absoluteString) : nil }

  static func read(_ value: DocumentValue) -> URL? {
    guard case .string(let text) = value else { return nil }
    return URL(string: text)
  }
}

// MARK: Collections without an order

/// A collection whose elements are encoded in an order that changes from run to run.
protocol UnorderedCollection {
  /// The number of adjacent elements of the encoded list that belong together.
  static var stride: Int { get }
}

extension Set: UnorderedCollection {
  static var stride: Int { 1 }
}

/// If its keys are no texts, a dictionary is encoded as a list of keys and values in turn.
extension Dictionary: UnorderedCollection {
  static var stride: Int { 2 }
}
