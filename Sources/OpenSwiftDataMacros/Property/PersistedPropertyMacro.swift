public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@_PersistedProperty`: accessors over the model's storage.
public enum PersistedPropertyMacro {
  /// The generated text is already formatted.
  public static var formatMode: FormatMode { .disabled }
}

extension PersistedPropertyMacro: AccessorMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    let property = PersistedProperty(declaration, attribute: node, form: .plain, in: context)
    return property?.accessors(in: context) ?? []
  }
}

extension PersistedPropertyMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let property = PersistedProperty(declaration, attribute: node, form: .plain, in: context)
    return property.map { [$0.marker] } ?? []
  }
}
