import SwiftSyntax

/// A property with `@Query`.
struct QueryProperty {
  let name: String
  let type: TypeSyntax?
  let binding: PatternBindingSyntax
  private let arguments: String
  private let isOnMainActor: Bool

  /// `nil` if the declaration has no name, or several.
  init?(_ variable: VariableDeclSyntax, attribute: AttributeSyntax) {
    guard variable.bindings.count == 1, let binding = variable.bindings.first,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
    else { return nil }
    self.binding = binding
    name = pattern.identifier.plainName
    type = binding.typeAnnotation?.type.trimmed
    arguments = attribute.arguments?.trimmedDescription ?? ""
    isOnMainActor = variable.attributes.has("MainActor")
  }

  /// Generated for a faulty declaration too, so that the compiler reports no further errors.
  var getter: AccessorDeclSyntax {
    guard type != nil else { return AccessorDeclSyntax(text: "get { fatalError() }") }
    return AccessorDeclSyntax(text: "get { _\(name).wrappedValue }")
  }

  /// Its getter is as visible as the type, so that a memberwise initialiser does not become
  /// private.
  var query: DeclSyntax? {
    guard let type else { return nil }
    let isolation = isOnMainActor ? "@MainActor " : ""
    let query = "SwiftData.Query<\(type)._QueriedModel, \(type)>"
    return DeclSyntax(
      text: "\(isolation)private(set) var _\(name): \(query) = .init(\(arguments))")
  }
}
