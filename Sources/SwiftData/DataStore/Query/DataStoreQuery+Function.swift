extension DataStoreQuery {
  /// An operator or a function of values. The raw values are those of the encoded form.
  ///
  /// Operands are evaluated from left to right. If an operand is not described otherwise, it is not
  /// `nil` in a query that was made from a request.
  public enum Function: String, Hashable, Codable, Sendable, CaseIterable {
    // MARK: Logic

    /// Whether all operands are true. Evaluation ends at the first one that is false.
    case and
    /// Whether at least one operand is true. Evaluation ends at the first one that is true.
    case or
    /// Whether the operand is false.
    case not
    /// The second operand if the first is true, else the third. The other one is not evaluated.
    case conditional
    /// The condition, or false if one of its steps fails.
    case falseOnFailure
    /// A step without operands that always fails: a captured value that could not be computed.
    case fail

    // MARK: Comparison

    /// Whether both operands are `nil`, or both are equal values. A `nan` equals nothing.
    case equal
    /// The opposite of ``equal``.
    case notEqual
    /// Whether the first operand is less than the second; false if one is `nil`.
    case less
    /// Whether the first operand is at most the second; false if one is `nil`.
    case lessOrEqual
    /// Whether the first operand is greater than the second; false if one is `nil`.
    case greater
    /// Whether the first operand is at least the second; false if one is `nil`.
    case greaterOrEqual
    /// Whether a value is at least the second operand and less than the third. Fails if the bounds
    /// are in the wrong order.
    case isInRange
    /// Whether a value is at least the second operand and at most the third. Fails if the bounds are
    /// in the wrong order.
    case isInClosedRange
    /// The position of a value in a constant list: the order of the cases of an enumeration; `nil`
    /// if it is not in the list.
    ///
    /// An element that is a list itself has several values, which have the same position.
    case rank

    // MARK: Optional values

    /// The first operand, or the second if it is `nil`. The second may not be evaluated.
    case coalesce
    /// The operand; fails if it is `nil`.
    case forceUnwrap

    // MARK: Classes

    /// Whether a row is of the entity in the second operand, or of a subentity; false for `nil`.
    case isEntity
    /// The row, if it is of the entity in the second operand, or of a subentity; else `nil`.
    case asEntity

    // MARK: Texts

    /// Whether a text contains another one, as a sequence of characters. Each contains the empty
    /// one.
    case containsText
    /// Whether a text begins with the characters of another one: `starts(with:)`.
    case startsWith
    /// Whether a text begins with another one: `hasPrefix(_:)` of `String`.
    case hasPrefix
    /// Whether a text ends with another one: `hasSuffix(_:)` of `String`.
    case hasSuffix
    /// Whether a text contains another one, without case and diacritics, in the current locale:
    /// `localizedStandardContains(_:)` of Foundation.
    case localizedStandardContains
    /// Whether a text contains another one, without case, in the current locale:
    /// `localizedCaseInsensitiveContains(_:)` of Foundation.
    case localizedCaseInsensitiveContains
    /// Whether a text contains a match of the regular expression in the second operand, which is
    /// written in Swift's syntax.
    case matches
    /// The order of two texts in the current locale: -1, 0 or 1. `localizedCompare(_:)` of
    /// Foundation.
    case localizedCompare
    /// The order of two texts without case: -1, 0 or 1. `caseInsensitiveCompare(_:)` of Foundation.
    case caseInsensitiveCompare
    /// The order of two texts in the current locale, without case: -1, 0 or 1.
    /// `localizedCaseInsensitiveCompare(_:)` of Foundation.
    case localizedCaseInsensitiveCompare
    /// The order of two texts as in a file browser: -1, 0 or 1. `localizedStandardCompare(_:)` of
    /// Foundation.
    case localizedStandardCompare
    /// A text followed by another one.
    case concatenate
    /// A text in lower case.
    case lowercased
    /// A text in upper case.
    case uppercased
    /// A text without the characters of `CharacterSet.whitespaces` at its ends.
    case trimWhitespaces
    /// A text without the characters of `CharacterSet.newlines` at its ends.
    case trimNewlines
    /// A text without the characters of `CharacterSet.whitespacesAndNewlines` at its ends.
    case trimWhitespacesAndNewlines

    // MARK: Dates

    /// The seconds from the beginning of 2001 (UTC) to a date.
    case secondsSince2001
    /// The seconds from the beginning of 1970 (UTC) to a date.
    case secondsSince1970
    /// A date that is a number of seconds after another one.
    case dateAdding
    /// A date that is a number of seconds before another one.
    case dateSubtracting
    /// The seconds from a date to another one; negative if that is earlier.
    case secondsBetween

    // MARK: Lists

    /// The number of elements of a list or relationship, of characters of a text, of bytes.
    case count
    /// Whether ``count`` is 0.
    case isEmpty
    /// Whether a list or relationship contains a value.
    case contains
    /// The first element of a list or relationship; `nil` if it is empty.
    case first
    /// The least element of a list; `nil` if it is empty.
    case minimum
    /// The greatest element of a list; `nil` if it is empty.
    case maximum
    /// The element at a position of a list; the first one is 0. Fails if there is none.
    case element
    /// The value of a key in a dictionary; `nil` if there is none.
    case entry

    /// The possible numbers of operands.
    public var operandCounts: ClosedRange<Int> {
      switch self {
      case .fail: 0...0
      case .and, .or: 0...Int.max
      case .not, .falseOnFailure, .forceUnwrap, .lowercased, .uppercased, .trimWhitespaces,
        .trimNewlines, .trimWhitespacesAndNewlines, .secondsSince2001, .secondsSince1970, .count,
        .isEmpty, .first, .minimum, .maximum:
        1...1
      case .conditional, .isInRange, .isInClosedRange: 3...3
      case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .rank, .coalesce,
        .isEntity, .asEntity, .containsText, .startsWith, .hasPrefix, .hasSuffix,
        .localizedStandardContains, .localizedCaseInsensitiveContains, .matches,
        .localizedCompare, .caseInsensitiveCompare, .localizedCaseInsensitiveCompare,
        .localizedStandardCompare, .concatenate, .dateAdding, .dateSubtracting, .secondsBetween,
        .contains, .element, .entry:
        2...2
      }
    }
  }
}
