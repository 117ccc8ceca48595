#if !canImport(Darwin)
  public import Foundation

  extension PredicateExpressions {
    /// Whether a text contains another, ignoring case and diacritics like a search field.
    public struct StringLocalizedStandardContains<
      Root: PredicateExpression, Other: PredicateExpression
    >: PredicateExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
      /// Whether the text contains the other one, ignoring case and diacritics.
      public typealias Output = Bool

      /// The text to search in.
      public let root: Root

      /// The text to search for.
      public let other: Other

      /// Creates the node from the text to search in and the text to search for.
      public init(root: Root, other: Other) {
        self.root = root
        self.other = other
      }

      /// Evaluates the node with the given variable values.
      ///
      /// - Throws: Any error of an operand.
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
