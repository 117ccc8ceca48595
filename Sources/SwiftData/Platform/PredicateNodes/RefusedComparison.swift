public import Foundation

// Without these the compiler explains why the values are not models.
extension PredicateExpressions {
  /// Rejects `==` of values that are not `Equatable`.
  @_disfavoredOverload
  @available(
    *, unavailable, message: "'==' in a predicate requires a type that conforms to Equatable"
  )
  public static func build_Equal<LHS: PredicateExpression, RHS: PredicateExpression>(
    lhs: LHS, rhs: RHS
  ) -> Value<Bool> where LHS.Output == RHS.Output {
    Value(false)
  }

  /// Rejects `!=` of values that are not `Equatable`.
  @_disfavoredOverload
  @available(
    *, unavailable, message: "'!=' in a predicate requires a type that conforms to Equatable"
  )
  public static func build_NotEqual<LHS: PredicateExpression, RHS: PredicateExpression>(
    lhs: LHS, rhs: RHS
  ) -> Value<Bool> where LHS.Output == RHS.Output {
    Value(false)
  }
}
