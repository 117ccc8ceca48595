public import Foundation

extension PredicateExpressions {
  /// Whether a text contains another when case does not count, in the current locale.
  public struct StringLocalizedCaseInsensitiveContains<
    Root: PredicateExpression, Other: PredicateExpression
  >: PredicateExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// Whether the text contains the other one, upper and lower case alike.
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
      try root.evaluate(bindings).localizedCaseInsensitiveContains(other.evaluate(bindings))
    }
  }

  /// Builds the node for `root.localizedCaseInsensitiveContains(other)`.
  public static func build_localizedCaseInsensitiveContains<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringLocalizedCaseInsensitiveContains<Root, Other> {
    StringLocalizedCaseInsensitiveContains(root: root, other: other)
  }
}

extension PredicateExpressions.StringLocalizedCaseInsensitiveContains: Sendable
where Root: Sendable, Other: Sendable {}

extension PredicateExpressions.StringLocalizedCaseInsensitiveContains: Codable
where Root: Codable, Other: Codable {}

extension PredicateExpressions.StringLocalizedCaseInsensitiveContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
