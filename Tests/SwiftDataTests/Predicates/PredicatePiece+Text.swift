import Foundation
import SwiftData

/// The functions of texts that a predicate may ask.
enum TextQuestion: CaseIterable {
  case contains, starts, hasPrefix, hasSuffix, standardContains, insensitiveContains, joined

  func ask(_ text: Piece<String>, about other: Piece<String>) -> Piece<Bool> {
    typealias P = PredicateExpressions
    func open<L: StandardPredicateExpression, R: StandardPredicateExpression>(
      _ root: L, _ other: R
    ) -> PredicateTree<Bool> where L.Output == String, R.Output == String {
      switch self {
      case .contains: P.build_contains(root, other)
      case .starts: P.build_starts(root, with: other)
      case .hasPrefix: P._StringHasPrefix(root: root, other: other)
      case .hasSuffix: P._StringHasSuffix(root: root, other: other)
      case .standardContains: P.StringLocalizedStandardContains(root: root, other: other)
      case .insensitiveContains:
        P._StringLocalizedCaseInsensitiveContains(root: root, other: other)
      case .joined:
        P.Equal(
          lhs: P._StringConcatenation(lhs: root, rhs: other),
          rhs: P._StringConcatenation(lhs: other, rhs: root))
      }
    }
    return Piece<Bool>(open(text.node, other.node), "\(text.text).\(self)(\(other.text))")
  }
}

enum TextOrder: CaseIterable {
  case localized, insensitive, localizedInsensitive, standard

  func compare(_ text: Piece<String>, with other: Piece<String>) -> Piece<ComparisonResult> {
    typealias P = PredicateExpressions
    func open<L: StandardPredicateExpression, R: StandardPredicateExpression>(
      _ root: L, _ other: R
    ) -> PredicateTree<ComparisonResult> where L.Output == String, R.Output == String {
      switch self {
      case .localized: P.StringLocalizedCompare(root: root, other: other)
      case .insensitive: P.StringCaseInsensitiveCompare(root: root, other: other)
      case .localizedInsensitive:
        P._StringLocalizedCaseInsensitiveCompare(root: root, other: other)
      case .standard: P._StringLocalizedStandardCompare(root: root, other: other)
      }
    }
    return Piece<ComparisonResult>(
      open(text.node, other.node), "\(text.text).\(self)Compare(\(other.text))")
  }

  /// Whether the order is the one given.
  func ask(
    _ text: Piece<String>, _ result: ComparisonResult, _ other: Piece<String>
  ) -> Piece<Bool> {
    func open<L: StandardPredicateExpression>(_ left: L) -> PredicateTree<Bool>
    where L.Output == ComparisonResult {
      PredicateExpressions.Equal(lhs: left, rhs: PredicateExpressions.Value(result))
    }
    let order = compare(text, with: other)
    return Piece<Bool>(open(order.node), "\(order.text) == \(result.rawValue)")
  }
}

enum TextChange: CaseIterable {
  case lowercased, uppercased, trimmed

  func apply(to text: Piece<String>) -> Piece<String> {
    typealias P = PredicateExpressions
    func open<R: StandardPredicateExpression>(_ root: R) -> PredicateTree<String>
    where R.Output == String {
      switch self {
      case .lowercased: P._StringLowercased(root: root)
      case .uppercased: P._StringUppercased(root: root)
      case .trimmed:
        P._StringTrimmingCharacters(
          root: root, characters: P.Value(CharacterSet.whitespacesAndNewlines))
      }
    }
    return Piece<String>(open(text.node), "\(text.text).\(self)()")
  }
}
