public import SwiftSyntax
public import SwiftSyntaxMacros

extension PersistentModelMacro: MemberAttributeMacro {
  public static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let type = declaration.as(ClassDeclSyntax.self),
      let variable = member.as(VariableDeclSyntax.self),
      let name = variable.persistedIdentifier?.text, !variable.isConstant,
      !context.isInsideFunction,
      !variable.attributes.has("_PersistedProperty"),
      !variable.attributes.has("_TransformablePersistedProperty")
    else { return [] }
    guard let slot = type.slot(of: name) else { return [] }
    let isTransformable = SchemaAttribute(variable.attributes)?.isTransformable ?? false
    let macro = isTransformable ? "_TransformablePersistedProperty" : "_PersistedProperty"
    let attribute = AttributeSyntax(named: macro, argument: slot)
    guard let foreign = ThirdPartyAttribute.first(in: variable.attributes) else {
      return [attribute]
    }
    let comment = ThirdPartyAttribute.comment(foreign.plainName, on: name)
    return [attribute.with(\.trailingTrivia, [.spaces(1), .blockComment(comment), .spaces(1)])]
  }
}

extension ClassDeclSyntax {
  /// The source text of the slot: a constant, or an offset from the first slot after the
  /// superclass.
  ///
  /// This role does not receive the conformances, so it cannot tell whether the first inherited
  /// type is a model. `_$firstSlot`, which the member role generates, decides that.
  fileprivate func slot(of property: String) -> String? {
    let names = memberBlock.members.lazy.compactMap {
      $0.decl.as(VariableDeclSyntax.self)?.persistedIdentifier?.text
    }
    guard let index = Array(names).firstIndex(of: property) else { return nil }
    return possibleSuperclass == nil ? "\(index)" : "\(name.text)._$firstSlot + \(index)"
  }
}
