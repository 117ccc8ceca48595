public import SwiftSyntax
public import SwiftSyntaxMacros
import SwiftSyntaxBuilder

extension PersistentModelMacro: MemberAttributeMacro {
  public static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let type = declaration.as(ClassDeclSyntax.self),
      let variable = member.as(VariableDeclSyntax.self),
      let property = PropertyDeclaration(variable),
      !variable.attributes.has("_PersistedProperty"),
      !variable.attributes.has("_TransformablePersistedProperty")
    else { return [] }
    let model = ModelDeclaration(type)
    guard let slot = model.slot(of: property.name) else { return [] }
    let macro = property.isTransformable ? "_TransformablePersistedProperty" : "_PersistedProperty"
    return ["@\(raw: macro)(\(raw: slot))"]
  }
}

extension ModelDeclaration {
  /// The slot as source text: a constant, or a constant behind those the superclass took.
  ///
  /// This role is not told the conformances, so whether the first inherited type is a model is
  /// left to `_$firstSlot`, which the member role writes.
  fileprivate func slot(of property: String) -> String? {
    guard let index = properties.firstIndex(where: { $0.name == property }) else { return nil }
    return possibleSuperclass == nil ? "\(index)" : "\(name)._$firstSlot + \(index)"
  }
}
