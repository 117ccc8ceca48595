import Foundation
import OpenSwiftDataSQLSyntax

/// Captured values that are bound as one parameter.
struct MembershipList {
  let text: String
  let element: SQLType
  /// The function that converts elements of the text to values, if one is needed.
  let decoder: String?

  /// The longest list with a parameter for each value, if the values could be bound as one text.
  static var parameterLimit: Int { 64 }

  /// The longest list with a parameter for each value; SQLite allows 32,766 by default.
  static var longestList: Int { 4096 }

  /// How many values to repeat so that the length becomes a power of two.
  static func padding(for count: Int) -> Int {
    var bucket = 1
    while bucket < count { bucket *= 2 }
    return bucket - count
  }

  /// - Parameter type: The type of the expression that the values are compared with.
  /// - Returns: `nil` for values of several kinds, or values that the text cannot contain.
  init?(_ values: [_StoredValue], of type: SQLType, in dialect: SQLDialect) {
    switch dialect {
    case .sqlite: self.init(json: values)
    case .postgreSQL: self.init(array: values, of: type)
    }
  }

  private init(_ text: String, of element: SQLType, decoder: String? = nil) {
    self.text = text
    self.element = element
    self.decoder = decoder
  }

  /// A JSON array.
  private init?(json values: [_StoredValue]) {
    var numbers: [Int64] = []
    var texts: [String] = []
    var decoder: String?
    var wholeCount = 0
    for value in values {
      switch value {
      case .integer(let number):
        numbers.append(number)
        wholeCount += 1
      case .real(let number):
        // Decimal digits would be rounded; the bits are exact.
        numbers.append(Int64(bitPattern: number.bitPattern))
        decoder = "swift_real"
      // A zero byte ends text in SQLite's JSON.
      case .text(let text) where !text.utf8.contains(0): texts.append(text)
      case .blob(let data):
        texts.append(data.base64EncodedString())
        decoder = "swift_bytes"
      default: return nil
      }
    }
    guard numbers.isEmpty || texts.isEmpty, wholeCount == 0 || decoder == nil else { return nil }
    if texts.isEmpty {
      self.init(SQLDialect.sqlite.list(numbers), of: .integer, decoder: decoder)
      return
    }
    guard let data = try? JSONEncoder().encode(texts) else { return nil }
    self.init(String(decoding: data, as: UTF8.self), of: .text, decoder: decoder)
  }

  /// An array literal of PostgreSQL: texts in quotes, with quotes and backslashes escaped.
  private init?(array values: [_StoredValue], of type: SQLType) {
    var elements: [String] = []
    for value in values {
      guard let element = MembershipList.element(value, of: type) else { return nil }
      elements.append(element)
    }
    self.init("{" + elements.joined(separator: ",") + "}", of: type)
  }

  /// A value as an element of an array literal; `nil` if it does not have the type.
  private static func element(_ value: _StoredValue, of type: SQLType) -> String? {
    switch (type, value) {
    case (.integer, .integer(let number)), (.decimal, .integer(let number)): String(number)
    case (.boolean, .integer(let number)): SQLDialect.postgreSQL.text(of: number != 0)
    case (.real, .real(let number)), (.timestamp, .real(let number)):
      number.isInfinite ? (number < 0 ? "-Infinity" : "Infinity") : "\(number)"
    // The digits, because a floating-point number would be compared by its value.
    case (.decimal, .real(let number)): "\(number)"
    case (.decimal, .blob(let digits)): String(decoding: digits, as: UTF8.self)
    case (.text, .text(let text)) where !text.utf8.contains(0): quoted(text)
    case (.blob, .blob(let data)):
      "\"\\\\x\(data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())\""
    default: nil
    }
  }

  /// A text as an element of an array literal. A quote with a mark after it is another character, so
  /// scalars are examined.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
      quoted.unicodeScalars.append(scalar)
    }
    quoted.unicodeScalars.append("\"")
    return quoted
  }
}
