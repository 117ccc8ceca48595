public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@Query`: generates the getter of the property and the property that holds the query.
public enum QueryMacro {
  /// The generated text is already formatted.
  public static var formatMode: FormatMode { .disabled }
}

extension QueryMacro: AccessorMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let variable = declaration.as(VariableDeclSyntax.self) else { return [] }
    return QueryProperty(variable, attribute: node, in: context).map { [$0.getter] } ?? []
  }
}

extension QueryMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let variable = declaration.as(VariableDeclSyntax.self),
      let property = QueryProperty(variable, attribute: node, in: context)
    else { return [] }
    // Reported by this role only, because the compiler expands both.
    var sink = DiagnosticSink()
    QueryValidation(property, variable).run(&sink)
    for diagnostic in sink.diagnostics { context.diagnose(diagnostic) }
    return property.query.map { [$0] } ?? []
  }
}
