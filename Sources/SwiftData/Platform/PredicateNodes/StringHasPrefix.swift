public import Foundation

extension PredicateExpressions {
  /// Whether a text begins with another.
  public struct _StringHasPrefix<
    Root: PredicateExpression, Other: PredicateExpression
  >: PredicateExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// Whether the text begins with the other one.
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
      try root.evaluate(bindings).hasPrefix(other.evaluate(bindings))
    }
  }

  /// Builds the node for `root.hasPrefix(other)`.
  public static func build_hasPrefix<Root, Other>(
    _ root: Root, _ other: Other
  ) -> _StringHasPrefix<Root, Other> {
    _StringHasPrefix(root: root, other: other)
  }
}

extension PredicateExpressions._StringHasPrefix: Sendable
where Root: Sendable, Other: Sendable {}

extension PredicateExpressions._StringHasPrefix: Codable
where Root: Codable, Other: Codable {}

extension PredicateExpressions._StringHasPrefix: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
