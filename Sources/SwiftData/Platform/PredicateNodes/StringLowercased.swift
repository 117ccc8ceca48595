public import Foundation

extension PredicateExpressions {
  /// A text with every letter in lower case.
  public struct _StringLowercased<Root: PredicateExpression>: PredicateExpression
  where Root.Output: StringProtocol {
    /// The text in lower case.
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
      try root.evaluate(bindings).lowercased()
    }
  }

  /// Builds the node for `root.lowercased()`.
  public static func build_lowercased<Root>(_ root: Root) -> _StringLowercased<Root> {
    _StringLowercased(root: root)
  }
}

extension PredicateExpressions._StringLowercased: Sendable where Root: Sendable {}

extension PredicateExpressions._StringLowercased: Codable where Root: Codable {}

extension PredicateExpressions._StringLowercased: StandardPredicateExpression
where Root: StandardPredicateExpression {}
