public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// `#Predicate` over one model.
public struct PredicateExpansion: SwiftSyntaxMacros.ExpressionMacro {
  public static var formatMode: FormatMode { .disabled }

  public static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> ExprSyntax {
    try expand(node, as: "Predicate")
  }
}

/// `#Expression` over one model.
public struct ExpressionExpansion: SwiftSyntaxMacros.ExpressionMacro {
  public static var formatMode: FormatMode { .disabled }

  public static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> ExprSyntax {
    try expand(node, as: "Expression")
  }
}

private func expand(
  _ node: some FreestandingMacroExpansionSyntax, as macro: String
) throws -> ExprSyntax {
  let argument = node.trailingClosure ?? node.arguments.first?.expression.as(ClosureExprSyntax.self)
  guard let closure = argument else {
    throw PredicateDiagnostic.closureExpected(macro: macro).error(at: node)
  }
  var parser = PredicateParser()
  var parsed = try parser.closure(closure)
  if macro == "Predicate" { parsed = parser.condition(parsed) }
  var emitter = PredicateEmitter(fresh: parser.fresh)
  let generics = node.genericArgumentClause?.trimmedDescription ?? ""
  let text = emitter.text(of: parsed)
  return "Foundation.\(raw: macro)\(raw: generics)(\(raw: text))"
}
