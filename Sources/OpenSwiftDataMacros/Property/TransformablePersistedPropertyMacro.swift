public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@_TransformablePersistedProperty`: accessors over the model's storage.
public enum TransformablePersistedPropertyMacro {
  /// The generated text is already formatted.
  public static var formatMode: FormatMode { .disabled }
}

extension TransformablePersistedPropertyMacro: AccessorMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    let form = PersistedProperty.Form.transformable
    let property = PersistedProperty(declaration, attribute: node, form: form, in: context)
    return property?.accessors(in: context) ?? []
  }
}

extension TransformablePersistedPropertyMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let form = PersistedProperty.Form.transformable
    let property = PersistedProperty(declaration, attribute: node, form: form, in: context)
    return property.map { [$0.marker] } ?? []
  }
}
