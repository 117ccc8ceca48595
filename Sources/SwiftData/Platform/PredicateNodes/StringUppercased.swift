public import Foundation

extension PredicateExpressions {
  /// A text with every letter in upper case.
  public struct _StringUppercased<Root: PredicateExpression>: PredicateExpression
  where Root.Output: StringProtocol {
    /// The text in upper case.
    public typealias Output = String

    /// The text to convert.
    public let root: Root

    /// Creates the node from the text to convert.
    public init(root: Root) {
      self.root = root
    }

    /// Evaluates the node with the given variable values.
    ///
    /// - Throws: Any error of an operand.
    public func evaluate(_ bindings: PredicateBindings) throws -> String {
      try root.evaluate(bindings).uppercased()
    }
  }

  /// Builds the node for `root.uppercased()`.
  public static func build_uppercased<Root>(_ root: Root) -> _StringUppercased<Root> {
    _StringUppercased(root: root)
  }
}

extension PredicateExpressions._StringUppercased: Sendable where Root: Sendable {}

extension PredicateExpressions._StringUppercased: Codable where Root: Codable {}

extension PredicateExpressions._StringUppercased: StandardPredicateExpression
where Root: StandardPredicateExpression {}
