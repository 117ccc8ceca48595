public import Foundation

extension PredicateExpressions {
  /// The order of two texts as in a file browser.
  public struct _StringLocalizedStandardCompare<
    Root: PredicateExpression, Other: PredicateExpression
  >: PredicateExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The order of the two texts as in a file browser.
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
      try root.evaluate(bindings).localizedStandardCompare(other.evaluate(bindings))
    }
  }

  /// Builds the node for `root.localizedStandardCompare(other)`.
  public static func build_localizedStandardCompare<Root, Other>(
    _ root: Root, _ other: Other
  ) -> _StringLocalizedStandardCompare<Root, Other> {
    _StringLocalizedStandardCompare(root: root, other: other)
  }
}

extension PredicateExpressions._StringLocalizedStandardCompare: Sendable
where Root: Sendable, Other: Sendable {}

extension PredicateExpressions._StringLocalizedStandardCompare: Codable
where Root: Codable, Other: Codable {}

extension PredicateExpressions._StringLocalizedStandardCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
