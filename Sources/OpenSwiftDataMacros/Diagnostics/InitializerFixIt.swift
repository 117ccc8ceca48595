import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A fix-it that adds a missing initialiser to a model.
enum InitializerFixIt {
  /// `nil` when a property needs a value and its type is not written, or a superclass may need one.
  static func make(for node: ClassDeclSyntax, _ model: ModelDeclaration) -> FixIt? {
    guard model.possibleSuperclass == nil else { return nil }
    let needed = model.properties.filter { $0.initialValue == nil && !$0.isOptional }
    let parameters = needed.compactMap { property in
      property.type.map { "\(property.identifier.text): \($0.trimmedDescription)" }
    }
    guard parameters.count == needed.count else { return nil }
    let assignments = needed.map { "\n    self.\($0.identifier.text) = \($0.identifier.text)" }
    let body = assignments.isEmpty ? "{}" : "{\(assignments.joined())\n  }"
    let signature = "\(model.access.fixed)init(\(parameters.joined(separator: ", ")))"
    let initializer: DeclSyntax = "\n\n  \(raw: signature) \(raw: body)"
    var fixed = node
    fixed.memberBlock.members.append(MemberBlockItemSyntax(decl: initializer))
    return ModelFixIt.addInitializer.replacing(node, with: fixed)
  }
}
