public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@Attribute`. Expands to nothing; `@Model` reads it.
public enum AttributePropertyMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if !context.isInsideModel { context.report(.markerOutsideModel(macro: "Attribute"), at: node) }
    return []
  }
}

/// `@Relationship`. Expands to nothing; `@Model` reads it.
public enum RelationshipPropertyMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if !context.isInsideModel {
      context.report(.markerOutsideModel(macro: "Relationship"), at: node)
    }
    return []
  }
}

/// `@Transient`. Expands to nothing; `@Model` reads it.
public enum TransientPropertyMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    []
  }
}
