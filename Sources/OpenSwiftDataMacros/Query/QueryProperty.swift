import SwiftSyntax
import SwiftSyntaxMacros

/// A property with `@Query`.
struct QueryProperty {
  let name: String
  let type: TypeSyntax?
  let binding: PatternBindingSyntax
  private let arguments: String
  private let isOnMainActor: Bool
  private let access: String

  /// `nil` if the declaration has no name, or several.
  init?(
    _ variable: VariableDeclSyntax, attribute: AttributeSyntax,
    in context: some MacroExpansionContext
  ) {
    guard variable.bindings.count == 1, let binding = variable.bindings.first,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
    else { return nil }
    self.binding = binding
    name = pattern.identifier.plainName
    type = binding.typeAnnotation?.type.trimmed
    arguments = attribute.arguments?.trimmedDescription ?? ""
    isOnMainActor = variable.attributes.has("MainActor")
    let type = context.lexicalContext.first { $0.asProtocol((any DeclGroupSyntax).self) != nil }
    access = Self.access(of: variable, isInClass: type?.is(ClassDeclSyntax.self) ?? false)
  }

  /// A property with a private model must not be more visible than the model; the compiler then demands
  /// `fileprivate`. A private property of a structure would make the memberwise initialiser private; a
  /// class has none.
  private static func access(of variable: VariableDeclSyntax, isInClass: Bool) -> String {
    switch AccessLevel(of: variable.modifiers) {
    case .private where isInClass: "private "
    case .fileprivate: "fileprivate private(set) "
    case .private, .internal, .package, .public, .open: "private(set) "
    }
  }

  /// Generated for a faulty declaration too, so that the compiler reports no further errors.
  var getter: AccessorDeclSyntax {
    guard type != nil else { return AccessorDeclSyntax(text: "get { fatalError() }") }
    return AccessorDeclSyntax(text: "get { _\(name).wrappedValue }")
  }

  var query: DeclSyntax? {
    guard let type else { return nil }
    let isolation = isOnMainActor ? "@MainActor " : ""
    let query = "SwiftData.Query<\(type)._QueriedModel, \(type)>"
    return DeclSyntax(
      text: "\(isolation)\(access)var _\(name): \(query) = .init(\(arguments))")
  }
}
