#if !canImport(Darwin)
  public import Foundation

  extension PredicateExpressions {
    /// The order of two texts in the current locale.
    public struct StringLocalizedCompare<
      Root: PredicateExpression, Other: PredicateExpression
    >: PredicateExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
      /// The order of the two texts in the user's language.
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
        try root.evaluate(bindings).localizedCompare(other.evaluate(bindings))
      }
    }

    /// Builds the node for `root.localizedCompare(other)`.
    public static func build_localizedCompare<Root, Other>(
      _ root: Root, _ other: Other
    ) -> StringLocalizedCompare<Root, Other> {
      StringLocalizedCompare(root: root, other: other)
    }
  }

  extension PredicateExpressions.StringLocalizedCompare: Sendable
  where Root: Sendable, Other: Sendable {}

  extension PredicateExpressions.StringLocalizedCompare: Codable
  where Root: Codable, Other: Codable {}

  extension PredicateExpressions.StringLocalizedCompare: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
#endif
