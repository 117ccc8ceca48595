public import Foundation

extension PredicateExpressions {
  /// The concatenation of two texts.
  public struct StringConcatenation<LHS: PredicateExpression, RHS: PredicateExpression>:
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
  ) -> StringConcatenation<LHS, RHS> {
    StringConcatenation(lhs: lhs, rhs: rhs)
  }
}

extension PredicateExpressions.StringConcatenation: Sendable where LHS: Sendable, RHS: Sendable {}

extension PredicateExpressions.StringConcatenation: Codable where LHS: Codable, RHS: Codable {}

extension PredicateExpressions.StringConcatenation: StandardPredicateExpression
where LHS: StandardPredicateExpression, RHS: StandardPredicateExpression {}
