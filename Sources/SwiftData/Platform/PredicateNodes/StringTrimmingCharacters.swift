public import Foundation

extension PredicateExpressions {
  /// A text without the characters of a set at its start and end.
  public struct _StringTrimmingCharacters<
    Root: PredicateExpression, Characters: PredicateExpression
  >: PredicateExpression where Root.Output: StringProtocol, Characters.Output == CharacterSet {
    /// The trimmed text.
    public typealias Output = String

    /// The text to trim.
    public let root: Root

    /// The characters to remove.
    public let characters: Characters

    /// Creates the node from the text to trim and the characters to remove.
    public init(root: Root, characters: Characters) {
      self.root = root
      self.characters = characters
    }

    /// Evaluates the node with the given variable values.
    ///
    /// - Throws: Any error of an operand.
    public func evaluate(_ bindings: PredicateBindings) throws -> String {
      try root.evaluate(bindings).trimmingCharacters(in: characters.evaluate(bindings))
    }
  }

  /// Builds the node for `root.trimmingCharacters(in: characters)`.
  public static func build_trimmingCharacters<Root, Characters>(
    _ root: Root, in characters: Characters
  ) -> _StringTrimmingCharacters<Root, Characters> {
    _StringTrimmingCharacters(root: root, characters: characters)
  }
}

extension PredicateExpressions._StringTrimmingCharacters: Sendable
where Root: Sendable, Characters: Sendable {}

extension PredicateExpressions._StringTrimmingCharacters: Codable
where Root: Codable, Characters: Codable {}

extension PredicateExpressions._StringTrimmingCharacters: StandardPredicateExpression
where Root: StandardPredicateExpression, Characters: StandardPredicateExpression {}
