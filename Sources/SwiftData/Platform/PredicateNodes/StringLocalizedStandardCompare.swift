public import Foundation

extension PredicateExpressions {
  /// The order of two texts as a list of files shows them.
  public struct StringLocalizedStandardCompare<
    Root: PredicateExpression, Other: PredicateExpression
  >: PredicateExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The order of the two texts as a file browser lists them.
    public typealias Output = ComparisonResult

    /// The text on the left of the comparison.
    public let root: Root

    /// The text on the right of the comparison.
    public let other: Other

    /// Creates the node from the two texts to compare.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// Answers for one set of variable values.
    ///
    /// - Throws: What an operand throws.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      try root.evaluate(bindings).localizedStandardCompare(other.evaluate(bindings))
    }
  }

  /// Builds the node for `root.localizedStandardCompare(other)`.
  public static func build_localizedStandardCompare<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringLocalizedStandardCompare<Root, Other> {
    StringLocalizedStandardCompare(root: root, other: other)
  }
}

extension PredicateExpressions.StringLocalizedStandardCompare: Sendable
where Root: Sendable, Other: Sendable {}

extension PredicateExpressions.StringLocalizedStandardCompare: Codable
where Root: Codable, Other: Codable {}

extension PredicateExpressions.StringLocalizedStandardCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
