import SwiftSyntax

/// Where a model stands in its class hierarchy.
enum ModelAncestry: Equatable {
  case root
  case subclass(of: String)

  /// A class that conforms already, without saying so itself, inherits the conformance.
  init(of model: ModelDeclaration, missingConformances: [TypeSyntax]) {
    let conforms = !missingConformances.contains { $0.lastName == "PersistentModel" }
    if conforms, !model.statesPersistentModel, let superclass = model.possibleSuperclass {
      self = .subclass(of: superclass)
    } else {
      self = .root
    }
  }
}
