public import SwiftSyntax
public import SwiftSyntaxMacros
import SwiftSyntaxBuilder

/// `@ModelActor`: adds a container, an executor with its own context, and an initialiser that sets
/// both.
public enum PersistentModelActorMacro {}

extension PersistentModelActorMacro: MemberMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let actor = declaration.as(ActorDeclSyntax.self) else {
      context.report(.notApplicable(macro: "ModelActor", to: declaration), at: node)
      return []
    }
    let expansion = ModelActorExpansion(actor, in: context.lexicalContext)
    if expansion.lacksInitializer, let property = expansion.uninitialized {
      let message = ModelDiagnostic.actorPropertyWithoutValue(
        property.trimmedDescription, actor: actor.name.text)
      context.report(message, at: property)
    }
    return expansion.members
  }
}

extension PersistentModelActorMacro: ExtensionMacro {
  public static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let actor = declaration.as(ActorDeclSyntax.self), !protocols.isEmpty else { return [] }
    let availability = Availability(of: actor.attributes, in: context.lexicalContext).text
    let conformance: DeclSyntax =
      "\(raw: availability)extension \(type.trimmed): SwiftData.ModelActor {}"
    return [conformance.as(ExtensionDeclSyntax.self)].compactMap { $0 }
  }
}
