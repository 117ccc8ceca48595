import Foundation

/// The functions that compiled predicates call; they are registered on each connection.
///
/// Each returns null if an argument is null, and is deterministic.
package enum SQLFunction {
  package typealias Body = @Sendable ([_StoredValue]) -> _StoredValue

  package static let all: [(name: String, argumentCount: Int, body: Body)] = [
    (
      "swift_canonical", 1,
      onText { text in
        .text(text.isASCII ? text : text.canonicallyComposed)
      }
    ),
    ("swift_count", 1, onText { .integer(Int64($0.count)) }),
    ("swift_lower", 1, onText { .text($0.lowercased()) }),
    ("swift_upper", 1, onText { .text($0.uppercased()) }),
    ("swift_trim", 2, trim),
    ("swift_contains", 2, onTexts { hasPart($0, $1).storedValue }),
    ("swift_starts", 2, onTexts { $0.hasPrefix($1).storedValue }),
    // `hasPrefix` compares bytes where possible, so "\r" is a prefix of "\r\n"; for characters it
    // is not.
    ("swift_starts_with", 2, onTexts { startsWith($0, $1).storedValue }),
    ("swift_ends", 2, onTexts { $0.hasSuffix($1).storedValue }),
    ("swift_localized_contains", 2, onTexts { $0.localizedStandardContains($1).storedValue }),
    (
      "swift_insensitive_contains", 2,
      onTexts { $0.localizedCaseInsensitiveContains($1).storedValue }
    ),
    ("swift_localized_compare", 2, comparing { $0.localizedCompare($1) }),
    ("swift_insensitive_compare", 2, comparing { $0.caseInsensitiveCompare($1) }),
    (
      "swift_localized_insensitive_compare", 2,
      comparing { $0.localizedCaseInsensitiveCompare($1) }
    ),
    ("swift_localized_standard_compare", 2, comparing { $0.localizedStandardCompare($1) }),
    ("swift_decimal_compare", 2, compareDecimals),
    ("swift_bytes", 1, onText { Data(base64Encoded: $0).map { .blob($0) } ?? .null }),
    ("swift_real", 1, realFromBits),
    ("swift_decimal_digits", 1, decimalDigits),
    ("swift_decimal", 3, computeDecimal),
    ("swift_float", 1, roundToFloat),
    ("swift_list_contains", 3, StoredList.contains),
    ("swift_list_count", 2, StoredList.count),
    ("swift_list_element", 3, StoredList.element),
    ("swift_list_least", 2, StoredList.least),
    ("swift_list_greatest", 2, StoredList.greatest),
    ("swift_dictionary_value", 3, StoredList.value),
    ("swift_matches", 2, onTexts { RegexCache.matches($0, $1).storedValue }),
  ]

  static func isOurs(_ name: String) -> Bool { name.hasPrefix("swift_") }

  private static func onText(
    _ body: @escaping @Sendable (String) -> _StoredValue
  ) -> Body {
    { arguments in
      guard case .text(let text) = arguments[0] else { return .null }
      return body(text)
    }
  }

  private static func onTexts(
    _ body: @escaping @Sendable (String, String) -> _StoredValue
  ) -> Body {
    { arguments in
      guard case .text(let first) = arguments[0], case .text(let second) = arguments[1] else {
        return .null
      }
      return body(first, second)
    }
  }

  private static func comparing(
    _ body: @escaping @Sendable (String, String) -> ComparisonResult
  ) -> Body {
    onTexts { .integer(Int64(body($0, $1).rawValue)) }
  }

  /// Foundation's `contains` on strings returns false for the empty text; the predicate's node
  /// compares collections of characters.
  private static func hasPart<Text: Collection>(_ text: Text, _ part: Text) -> Bool
  where Text.Element: Equatable {
    text.contains(part)
  }

  private static func startsWith<Text: Sequence>(_ text: Text, _ start: Text) -> Bool
  where Text.Element: Equatable {
    text.starts(with: start)
  }

  @Sendable private static func trim(_ arguments: [_StoredValue]) -> _StoredValue {
    guard case .text(let text) = arguments[0], case .integer(let kind) = arguments[1],
      let set = TrimmedCharacters(rawValue: kind)
    else { return .null }
    return .text(text.trimmingCharacters(in: set.characters))
  }

  @Sendable private static func realFromBits(_ arguments: [_StoredValue]) -> _StoredValue {
    guard case .integer(let bits) = arguments[0] else { return .null }
    return .real(Double(bitPattern: UInt64(bitPattern: bits)))
  }

  /// A text that orders decimals of equal magnitude: digits for positive numbers, their complements
  /// for negative ones.
  @Sendable private static func decimalDigits(_ arguments: [_StoredValue]) -> _StoredValue {
    guard let number = Decimal(storedValue: arguments[0]), number.isFinite else { return .null }
    let parts = abs(number).description.split(separator: ".")
    let whole = parts.first.map(String.init) ?? "0"
    let digits =
      String(repeating: "0", count: max(0, 200 - whole.count)) + whole
      + (parts.count > 1 ? "." + parts[1] : ".")
    guard number < 0 else { return .text(digits) }
    let complement = digits.utf8.map { $0 == 46 ? 46 : 57 - ($0 - 48) } + [UInt8(ascii: ":")]
    return .text(String(decoding: complement, as: UTF8.self))
  }

  @Sendable private static func computeDecimal(_ arguments: [_StoredValue]) -> _StoredValue {
    guard case .text(let sign) = arguments[0], let first = Decimal(storedValue: arguments[1]),
      let second = Decimal(storedValue: arguments[2])
    else { return .null }
    return switch sign {
    case "+": (first + second).storedValue
    case "-": (first - second).storedValue
    case "*": first.product(with: second)?.storedValue ?? .null
    default: .null
    }
  }

  @Sendable private static func roundToFloat(_ arguments: [_StoredValue]) -> _StoredValue {
    Float(storedValue: arguments[0])?.storedValue ?? .null
  }

  @Sendable private static func compareDecimals(_ arguments: [_StoredValue]) -> _StoredValue {
    guard let first = Decimal(storedValue: arguments[0]),
      let second = Decimal(storedValue: arguments[1])
    else { return .null }
    return .integer(first < second ? -1 : first > second ? 1 : 0)
  }
}
