import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// Names of properties that every model has. A stored property of the same name would hide one, so code that
/// asks whether a model is deleted would read a column.
enum ReservedName {
  static let all: Set<String> = ["hasChanges", "isDeleted", "modelContext", "persistentModelID"]

  /// Renames the property; `originalName` keeps the values of its column.
  static func fixIts(for node: VariableDeclSyntax, _ name: String) -> [FixIt] {
    guard let binding = node.bindings.first,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self),
      SchemaAttribute(node.attributes) == nil
    else { return [] }
    let renamed = pattern.with(\.identifier, .identifier(replacement(for: name)))
      .with(\.trailingTrivia, pattern.trailingTrivia)
    let attribute: AttributeSyntax = "@Attribute(originalName: \(literal: name))"
    let plain = node.with(\.bindings, [binding.with(\.pattern, PatternSyntax(renamed))])
      .with(\.leadingTrivia, [])
    let fixed = plain.with(
      \.attributes, [.attribute(attribute.with(\.trailingTrivia, .space))] + plain.attributes
    )
    .with(\.leadingTrivia, node.leadingTrivia)
    return [ModelFixIt.renameReserved.replacing(node, with: fixed)]
  }

  private static func replacement(for name: String) -> String {
    switch name {
    case "isDeleted": "isRemoved"
    case "hasChanges": "isEdited"
    case "modelContext": "context"
    default: "modelID"
    }
  }
}
