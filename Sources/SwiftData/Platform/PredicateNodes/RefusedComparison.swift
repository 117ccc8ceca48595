public import Foundation

// Without these the compiler explains why the values are not models. They are chosen too if a comparison is no
// standard expression because its values are not Codable, as a Character.
extension PredicateExpressions {
  /// Rejects `==` of values that are not `Equatable` or not `Codable`.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      '==' in a predicate requires a type that conforms to Equatable and Codable; instead of a Character compare \
      a String, as in hasPrefix("a")
      """
  )
  public static func build_Equal<LHS: PredicateExpression, RHS: PredicateExpression>(
    lhs: LHS, rhs: RHS
  ) -> Value<Bool> where LHS.Output == RHS.Output {
    Value(false)
  }

  /// Rejects `!=` of values that are not `Equatable` or not `Codable`.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      '!=' in a predicate requires a type that conforms to Equatable and Codable; instead of a Character compare \
      a String, as in hasPrefix("a")
      """
  )
  public static func build_NotEqual<LHS: PredicateExpression, RHS: PredicateExpression>(
    lhs: LHS, rhs: RHS
  ) -> Value<Bool> where LHS.Output == RHS.Output {
    Value(false)
  }
}
