public import SwiftSyntax
public import SwiftSyntaxMacros

extension PersistentModelMacro: MemberMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let type = declaration.as(ClassDeclSyntax.self) else {
      context.report(.notApplicable(macro: "Model", to: declaration), at: node)
      return []
    }
    var model = ModelDeclaration(type, in: context.lexicalContext)
    if let argument = node.originalName {
      model.originalName = argument.nonemptyLiteral
      if model.originalName == nil {
        context.report(.originalNameWithoutText(model: model.name), at: argument)
      }
    }
    if context.isInsideFunction {
      // The compiler adds no conformances to local types, so the generated members would not
      // compile.
      context.report(.localModel(model: model.name), at: type.name)
      return []
    }
    let ancestry = ModelAncestry(of: model, missingConformances: protocols)
    ModelValidation.diagnostics(of: type, model, ancestry).forEach(context.diagnose)
    return ModelExpansion(model: model, ancestry: ancestry).members
  }
}
