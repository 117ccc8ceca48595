public import SwiftSyntax
public import SwiftSyntaxMacros

/// `#Unique`. Expands to nothing; `@Model` reads it.
public enum UniqueConstraintsMacro: DeclarationMacro {
  public static func expansion(
    of node: some FreestandingMacroExpansionSyntax,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if !context.isInsideModel { context.report(.constraintOutsideModel(macro: "Unique"), at: node) }
    return []
  }
}

/// `#Index`. Expands to nothing; `@Model` reads it.
public enum IndexMacro: DeclarationMacro {
  public static func expansion(
    of node: some FreestandingMacroExpansionSyntax,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if !context.isInsideModel { context.report(.constraintOutsideModel(macro: "Index"), at: node) }
    return []
  }
}
