public import Foundation

extension PredicateExpressions {
  /// The concatenation of two texts.
  public struct _StringConcatenation<LHS: PredicateExpression, RHS: PredicateExpression>:
    PredicateExpression
  where LHS.Output == String, RHS.Output == String {
    /// The concatenated text.
    public typealias Output = String

    /// The first text.
    public let lhs: LHS

    /// The second text.
    public let rhs: RHS

    /// Creates the node from two texts.
    public init(lhs: LHS, rhs: RHS) {
      self.lhs = lhs
      self.rhs = rhs
    }

    /// Evaluates the node with the given variable values.
    ///
    /// - Throws: Any error of an operand.
    public func evaluate(_ bindings: PredicateBindings) throws -> String {
      try lhs.evaluate(bindings) + rhs.evaluate(bindings)
    }
  }

  /// Builds `lhs + rhs` for texts.
  public static func build_Arithmetic<LHS, RHS>(
    lhs: LHS, rhs: RHS, op: ArithmeticOperator
  ) -> _StringConcatenation<LHS, RHS> {
    _StringConcatenation(lhs: lhs, rhs: rhs)
  }
}

extension PredicateExpressions._StringConcatenation: Sendable where LHS: Sendable, RHS: Sendable {}

extension PredicateExpressions._StringConcatenation: Codable where LHS: Codable, RHS: Codable {}

extension PredicateExpressions._StringConcatenation: StandardPredicateExpression
where LHS: StandardPredicateExpression, RHS: StandardPredicateExpression {}
