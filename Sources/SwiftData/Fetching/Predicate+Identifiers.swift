import Foundation

extension PersistentModel {
  /// A predicate for the models with these identifiers.
  static func isOne(of identifiers: Set<PersistentIdentifier>) -> Predicate<Self> {
    Predicate { model in
      PredicateExpressions.build_contains(
        PredicateExpressions.build_Arg(identifiers),
        PredicateExpressions.build_KeyPath(root: model, keyPath: \.persistentModelID))
    }
  }
}
