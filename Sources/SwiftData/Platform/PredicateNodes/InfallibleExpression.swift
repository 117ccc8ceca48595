public import Foundation

/// An expression of which no step can fail.
///
/// The macro does not know which properties are implicitly unwrapped, so that it asks for
/// `_FalseOnFailure` wherever one might be. A condition of these nodes does without.
public protocol _InfallibleExpression: PredicateExpression {}

extension PredicateExpressions {
  /// Builds a closure whose steps cannot fail: the condition itself.
  public static func build_falseOnFailure<Wrapped: _InfallibleExpression>(
    _ wrapped: Wrapped
  ) -> Wrapped where Wrapped.Output == Bool {
    wrapped
  }
}

extension PredicateExpressions.Variable: _InfallibleExpression {}
extension PredicateExpressions.Value: _InfallibleExpression {}
extension PredicateExpressions.NilLiteral: _InfallibleExpression {}
extension PredicateExpressions.KeyPath: _InfallibleExpression
where Root: _InfallibleExpression {}

extension PredicateExpressions.Equal: _InfallibleExpression
where LHS: _InfallibleExpression, RHS: _InfallibleExpression {}
extension PredicateExpressions.NotEqual: _InfallibleExpression
where LHS: _InfallibleExpression, RHS: _InfallibleExpression {}
extension PredicateExpressions.Comparison: _InfallibleExpression
where LHS: _InfallibleExpression, RHS: _InfallibleExpression {}

extension PredicateExpressions.Conjunction: _InfallibleExpression
where LHS: _InfallibleExpression, RHS: _InfallibleExpression {}
extension PredicateExpressions.Disjunction: _InfallibleExpression
where LHS: _InfallibleExpression, RHS: _InfallibleExpression {}
extension PredicateExpressions.Negation: _InfallibleExpression
where Wrapped: _InfallibleExpression {}
extension PredicateExpressions.Conditional: _InfallibleExpression
where Test: _InfallibleExpression, If: _InfallibleExpression, Else: _InfallibleExpression {}

extension PredicateExpressions.NilCoalesce: _InfallibleExpression
where LHS: _InfallibleExpression, RHS: _InfallibleExpression {}
extension PredicateExpressions.OptionalFlatMap: _InfallibleExpression
where LHS: _InfallibleExpression, RHS: _InfallibleExpression {}

extension PredicateExpressions.SequenceContains: _InfallibleExpression
where LHS: _InfallibleExpression, RHS: _InfallibleExpression {}
extension PredicateExpressions.SequenceContainsWhere: _InfallibleExpression
where LHS: _InfallibleExpression, RHS: _InfallibleExpression {}
extension PredicateExpressions.SequenceAllSatisfy: _InfallibleExpression
where LHS: _InfallibleExpression, RHS: _InfallibleExpression {}
extension PredicateExpressions.CollectionContainsCollection: _InfallibleExpression
where Base: _InfallibleExpression, Other: _InfallibleExpression {}
extension PredicateExpressions.SequenceStartsWith: _InfallibleExpression
where Base: _InfallibleExpression, Prefix: _InfallibleExpression {}
extension PredicateExpressions.Filter: _InfallibleExpression
where LHS: _InfallibleExpression, RHS: _InfallibleExpression {}

extension PredicateExpressions.TypeCheck: _InfallibleExpression
where Input: _InfallibleExpression {}
extension PredicateExpressions.ConditionalCast: _InfallibleExpression
where Input: _InfallibleExpression {}
