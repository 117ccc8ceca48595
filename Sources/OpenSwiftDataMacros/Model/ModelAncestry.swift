import SwiftSyntax

/// Where a model stands in its class hierarchy.
enum ModelAncestry: Equatable {
  case root
  case subclass(of: String)

  /// The mark tells a superclass from a protocol that refines `PersistentModel`, which the syntax
  /// cannot.
  init(of model: ModelDeclaration, missingConformances: [TypeSyntax]) {
    let isMarked = !missingConformances.contains { $0.lastName == "_ManagedModel" }
    if isMarked, let superclass = model.possibleSuperclass {
      self = .subclass(of: superclass)
    } else {
      self = .root
    }
  }
}
