public import Foundation

extension PredicateExpressions {
  /// Builds `optional.map { … }` with the node for unwrapping.
  public static func build_map<Wrapped, Root, Transform>(
    _ root: Root, _ transform: (Variable<Wrapped>) -> Transform
  ) -> OptionalFlatMap<Root, Wrapped, Transform, Transform.Output>
  where Root.Output == Wrapped? {
    OptionalFlatMap(root, transform)
  }

  /// Rejects `collection.map { … }` at compile time.
  @available(
    *, unavailable,
    message: "a predicate has no 'map' for collections; write 'contains(where:)' or 'filter'"
  )
  public static func build_map<Root, Transform: PredicateExpression>(
    _ root: Root, _ transform: (Variable<Root.Output.Element>) -> Transform
  ) -> Value<[Transform.Output]> where Root: PredicateExpression, Root.Output: Sequence {
    Value([])
  }
}
