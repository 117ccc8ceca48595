#if !canImport(Darwin)
  public import Foundation

  extension PredicateExpressions {
    /// Whether a text contains another, ignoring case and diacritics the way a search field does.
    public struct StringLocalizedStandardContains<
      Root: PredicateExpression, Other: PredicateExpression
    >: PredicateExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
      /// Whether a search as users expect it finds the other text.
      public typealias Output = Bool

      /// The text that is searched.
      public let root: Root

      /// The text that is looked for.
      public let other: Other

      /// Creates the node from the searched text and the text to look for.
      public init(root: Root, other: Other) {
        self.root = root
        self.other = other
      }

      /// Answers for one set of variable values.
      ///
      /// - Throws: What an operand throws.
      public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
        try root.evaluate(bindings).localizedStandardContains(other.evaluate(bindings))
      }
    }

    /// Builds the node for `root.localizedStandardContains(other)`.
    public static func build_localizedStandardContains<Root, Other>(
      _ root: Root, _ other: Other
    ) -> StringLocalizedStandardContains<Root, Other> {
      StringLocalizedStandardContains(root: root, other: other)
    }
  }

  extension PredicateExpressions.StringLocalizedStandardContains: Sendable
  where Root: Sendable, Other: Sendable {}

  extension PredicateExpressions.StringLocalizedStandardContains: Codable
  where Root: Codable, Other: Codable {}

  extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
#endif
