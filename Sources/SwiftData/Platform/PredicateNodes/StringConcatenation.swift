public import Foundation

extension PredicateExpressions {
  /// Two texts joined to one.
  public struct StringConcatenation<LHS: PredicateExpression, RHS: PredicateExpression>:
    PredicateExpression
  where LHS.Output == String, RHS.Output == String {
    /// The joined text.
    public typealias Output = String

    /// The text that comes first.
    public let lhs: LHS

    /// The text that follows.
    public let rhs: RHS

    /// Creates the node from the two texts in their order.
    public init(lhs: LHS, rhs: RHS) {
      self.lhs = lhs
      self.rhs = rhs
    }

    /// Answers for one set of variable values.
    ///
    /// - Throws: What an operand throws.
    public func evaluate(_ bindings: PredicateBindings) throws -> String {
      try lhs.evaluate(bindings) + rhs.evaluate(bindings)
    }
  }

  /// Builds the node for `lhs + rhs` of texts, the only operator that texts have.
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
