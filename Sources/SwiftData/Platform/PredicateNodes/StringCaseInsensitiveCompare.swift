#if !canImport(Darwin)
  public import Foundation

  extension PredicateExpressions {
    /// The order of two texts, ignoring case.
    public struct StringCaseInsensitiveCompare<
      Root: PredicateExpression, Other: PredicateExpression
    >: PredicateExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
      /// The order of the two texts, ignoring case.
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
        try root.evaluate(bindings).caseInsensitiveCompare(other.evaluate(bindings))
      }
    }

    /// Builds the node for `root.caseInsensitiveCompare(other)`.
    public static func build_caseInsensitiveCompare<Root, Other>(
      _ root: Root, _ other: Other
    ) -> StringCaseInsensitiveCompare<Root, Other> {
      StringCaseInsensitiveCompare(root: root, other: other)
    }
  }

  extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable
  where Root: Sendable, Other: Sendable {}

  extension PredicateExpressions.StringCaseInsensitiveCompare: Codable
  where Root: Codable, Other: Codable {}

  extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
#endif
