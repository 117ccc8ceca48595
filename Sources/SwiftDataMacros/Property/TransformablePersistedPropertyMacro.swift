public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@_TransformablePersistedProperty`: accessors over the model's storage.
public enum TransformablePersistedPropertyMacro {}

extension TransformablePersistedPropertyMacro: AccessorMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    PersistedProperty(declaration, attribute: node, form: .transformable, in: context)?.accessors ?? []
  }
}

extension TransformablePersistedPropertyMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let property = PersistedProperty(declaration, attribute: node, form: .transformable, in: context)
    return property.map { [$0.marker] } ?? []
  }
}
