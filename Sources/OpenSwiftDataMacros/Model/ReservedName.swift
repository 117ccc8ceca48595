import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// Property names that every model has. A stored property with such a name would hide that
/// property, so code that reads `isDeleted`, for example, would read a column.
enum ReservedName {
  static let all: Set<String> = ["hasChanges", "isDeleted", "modelContext", "persistentModelID"]

  /// Renames the property; `originalName` keeps the stored values.
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
