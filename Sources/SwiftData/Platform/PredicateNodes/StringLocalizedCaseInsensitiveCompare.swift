public import Foundation

extension PredicateExpressions {
  /// The order of two texts in the current locale, ignoring case.
  public struct _StringLocalizedCaseInsensitiveCompare<
    Root: PredicateExpression, Other: PredicateExpression
  >: PredicateExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The order of the two texts in the current locale, ignoring case.
    public typealias Output = ComparisonResult

    /// The left text.
    public let root: Root

    /// The right text.
    public let other: Other

    /// Creates the node from the texts to compare.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// Evaluates the node with the given variable values.
    ///
    /// - Throws: Any error of an operand.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      try root.evaluate(bindings).localizedCaseInsensitiveCompare(other.evaluate(bindings))
    }
  }

  /// Builds the node for `root.localizedCaseInsensitiveCompare(other)`.
  public static func build_localizedCaseInsensitiveCompare<Root, Other>(
    _ root: Root, _ other: Other
  ) -> _StringLocalizedCaseInsensitiveCompare<Root, Other> {
    _StringLocalizedCaseInsensitiveCompare(root: root, other: other)
  }
}

extension PredicateExpressions._StringLocalizedCaseInsensitiveCompare: Sendable
where Root: Sendable, Other: Sendable {}

extension PredicateExpressions._StringLocalizedCaseInsensitiveCompare: Codable
where Root: Codable, Other: Codable {}

extension PredicateExpressions._StringLocalizedCaseInsensitiveCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
