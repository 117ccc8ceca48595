public import Foundation

extension PredicateExpressions {
  /// The models after `??`, which replace those of an optional relationship.
  ///
  /// Only an empty array is supported, because a captured model cannot be part of a predicate.
  public struct _DefaultMembers<Model: PersistentModel>: PredicateExpression {
    /// An empty array.
    public typealias Output = [Model]

    /// Whether the captured array is empty.
    public let isEmpty: Bool

    /// Creates the node from the captured array.
    public init(_ models: [Model]) { isEmpty = models.isEmpty }

    /// Evaluates the node.
    ///
    /// - Throws: `SwiftDataError.unsupportedPredicate` if the captured array is not empty.
    public func evaluate(_ bindings: PredicateBindings) throws -> [Model] {
      guard isEmpty else { throw unsupported }
      return []
    }

    var unsupported: SwiftDataError {
      .unsupportedPredicate.with(
        "The array after ?? has models. Write ?? [], and compare with the models in a condition of its "
          + "own.", entity: _ModelDescriptor.entityName(of: Model.self))
    }
  }

  /// Builds `lhs ?? rhs` where the left side is an optional relationship.
  public static func build_NilCoalesce<LHS, Model: PersistentModel>(
    lhs: LHS, rhs: Value<[Model]>
  ) -> NilCoalesce<LHS, _DefaultMembers<Model>> where LHS.Output == [Model]? {
    NilCoalesce(lhs: lhs, rhs: _DefaultMembers(rhs.value))
  }
}

extension PredicateExpressions._DefaultMembers: Sendable {}

extension PredicateExpressions._DefaultMembers: Codable {}

extension PredicateExpressions._DefaultMembers: StandardPredicateExpression {}
