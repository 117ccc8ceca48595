public import Foundation

// Comparisons of a value with an optional, which Swift allows and Foundation's builders do not. The
// value is cast to its own type, which only makes it optional.
extension PredicateExpressions {
  /// Builds `lhs == rhs` if only the right side is optional.
  @_disfavoredOverload
  public static func build_Equal<LHS, RHS>(
    lhs: LHS, rhs: RHS
  ) -> Equal<ConditionalCast<LHS, LHS.Output>, RHS>
  where LHS.Output: Equatable, RHS.Output == LHS.Output? {
    Equal(lhs: ConditionalCast(lhs), rhs: rhs)
  }

  /// Builds `lhs == rhs` if only the left side is optional.
  @_disfavoredOverload
  public static func build_Equal<LHS, RHS>(
    lhs: LHS, rhs: RHS
  ) -> Equal<LHS, ConditionalCast<RHS, RHS.Output>>
  where RHS.Output: Equatable, LHS.Output == RHS.Output? {
    Equal(lhs: lhs, rhs: ConditionalCast(rhs))
  }

  /// Builds `lhs != rhs` if only the right side is optional.
  @_disfavoredOverload
  public static func build_NotEqual<LHS, RHS>(
    lhs: LHS, rhs: RHS
  ) -> NotEqual<ConditionalCast<LHS, LHS.Output>, RHS>
  where LHS.Output: Equatable, RHS.Output == LHS.Output? {
    NotEqual(lhs: ConditionalCast(lhs), rhs: rhs)
  }

  /// Builds `lhs != rhs` if only the left side is optional.
  @_disfavoredOverload
  public static func build_NotEqual<LHS, RHS>(
    lhs: LHS, rhs: RHS
  ) -> NotEqual<LHS, ConditionalCast<RHS, RHS.Output>>
  where RHS.Output: Equatable, LHS.Output == RHS.Output? {
    NotEqual(lhs: lhs, rhs: ConditionalCast(rhs))
  }

  /// Builds `lhs ?? rhs` if both sides are optional.
  @_disfavoredOverload
  public static func build_NilCoalesce<LHS, RHS, Wrapped: Equatable>(
    lhs: LHS, rhs: RHS
  ) -> Conditional<NotEqual<LHS, NilLiteral<Wrapped>>, LHS, RHS>
  where LHS.Output == Wrapped?, RHS.Output == Wrapped? {
    Conditional(
      test: NotEqual(lhs: lhs, rhs: NilLiteral()), trueBranch: lhs, falseBranch: rhs)
  }

  /// Builds `if let` whose result is optional, with an alternative that is not.
  public static func build_NilCoalesce<LHS, RHS, Wrapped>(
    lhs: LHS, rhs: RHS
  ) -> NilCoalesce<LHS, ConditionalCast<RHS, Wrapped>>
  where LHS.Output == Wrapped??, RHS.Output == Wrapped {
    NilCoalesce(lhs: lhs, rhs: ConditionalCast(rhs))
  }

  /// Builds `if let` whose result is an implicitly unwrapped property.
  @_disfavoredOverload
  public static func build_NilCoalesce<LHS, RHS, Wrapped>(
    lhs: LHS, rhs: RHS
  ) -> ForcedUnwrap<NilCoalesce<LHS, ConditionalCast<RHS, Wrapped>>, Wrapped>
  where LHS.Output == Wrapped??, RHS.Output == Wrapped {
    ForcedUnwrap(NilCoalesce(lhs: lhs, rhs: ConditionalCast(rhs)))
  }
}
