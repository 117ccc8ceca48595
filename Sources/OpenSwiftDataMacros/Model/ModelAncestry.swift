import SwiftSyntax

/// The position of a model in its class hierarchy.
enum ModelAncestry: Equatable {
  case root
  case subclass(of: String)

  /// If the conformance to `_ManagedModel` is not missing, a superclass has it already. The syntax
  /// cannot tell a superclass from a protocol that refines `PersistentModel`.
  init(of model: ModelDeclaration, missingConformances: [TypeSyntax]) {
    let isMarked = !missingConformances.contains { $0.lastName == "_ManagedModel" }
    if isMarked, let superclass = model.possibleSuperclass {
      self = .subclass(of: superclass)
    } else {
      self = .root
    }
  }
}
