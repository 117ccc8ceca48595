public import Foundation

extension PredicateExpressions {
  /// Whether a text contains another in the current locale, ignoring case.
  public struct _StringLocalizedCaseInsensitiveContains<
    Root: PredicateExpression, Other: PredicateExpression
  >: PredicateExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// Whether the text contains the other one, ignoring case.
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
      try root.evaluate(bindings).localizedCaseInsensitiveContains(other.evaluate(bindings))
    }
  }

  /// Builds the node for `root.localizedCaseInsensitiveContains(other)`.
  public static func build_localizedCaseInsensitiveContains<Root, Other>(
    _ root: Root, _ other: Other
  ) -> _StringLocalizedCaseInsensitiveContains<Root, Other> {
    _StringLocalizedCaseInsensitiveContains(root: root, other: other)
  }
}

extension PredicateExpressions._StringLocalizedCaseInsensitiveContains: Sendable
where Root: Sendable, Other: Sendable {}

extension PredicateExpressions._StringLocalizedCaseInsensitiveContains: Codable
where Root: Codable, Other: Codable {}

extension PredicateExpressions._StringLocalizedCaseInsensitiveContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
