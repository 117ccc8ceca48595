public import Foundation

// A property whose members, methods or operators are used is not optional, so an optional property
// is an implicitly unwrapped one here. As part of a key path it would stop the program.
extension PredicateExpressions {
  /// Builds the property of a value.
  public static func build_Member<Root, Value>(
    root: Root, keyPath: any Swift.KeyPath<Root.Output, Value> & Sendable
  ) -> KeyPath<Root, Value> {
    KeyPath(root: root, keyPath: keyPath)
  }

  /// Builds an implicitly unwrapped property of a value, as `!` does.
  public static func build_Member<Root, Value>(
    root: Root, keyPath: any Swift.KeyPath<Root.Output, Value?> & Sendable
  ) -> ForcedUnwrap<KeyPath<Root, Value?>, Value> {
    ForcedUnwrap(KeyPath(root: root, keyPath: keyPath))
  }

  /// Builds `sequence.contains(element)` with an implicitly unwrapped element.
  @_disfavoredOverload
  public static func build_contains<LHS, RHS, Element>(
    _ lhs: LHS, _ rhs: RHS
  ) -> SequenceContains<LHS, ForcedUnwrap<RHS, Element>>
  where LHS.Output: Sequence<Element>, Element: Equatable, RHS.Output == Element? {
    SequenceContains(sequence: lhs, element: ForcedUnwrap(rhs))
  }

  /// Builds `text.contains(other)` with an implicitly unwrapped `other`.
  @_disfavoredOverload
  public static func build_contains<LHS, RHS, Other: Collection>(
    _ lhs: LHS, _ rhs: RHS
  ) -> CollectionContainsCollection<LHS, ForcedUnwrap<RHS, Other>>
  where LHS.Output: Collection<Other.Element>, Other.Element: Equatable, RHS.Output == Other? {
    CollectionContainsCollection(base: lhs, other: ForcedUnwrap(rhs))
  }

  /// Builds `range.contains(element)` with an implicitly unwrapped element.
  public static func build_contains<LHS, RHS, Bound>(
    _ lhs: LHS, _ rhs: RHS
  ) -> RangeExpressionContains<LHS, ForcedUnwrap<RHS, Bound>>
  where LHS.Output: RangeExpression<Bound>, RHS.Output == Bound? {
    RangeExpressionContains(range: lhs, element: ForcedUnwrap(rhs))
  }
}
