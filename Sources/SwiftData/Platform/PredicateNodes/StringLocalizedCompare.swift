#if !canImport(Darwin)
  public import Foundation

  extension PredicateExpressions {
    /// The order of two texts in the current locale.
    public struct StringLocalizedCompare<
      Root: PredicateExpression, Other: PredicateExpression
    >: PredicateExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
      /// The order of the two texts in the current locale.
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
