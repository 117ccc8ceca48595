import OpenSwiftDataMacros
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

/// A source text after its macros were expanded, and what they said.
struct ModelExpansionResult {
  let text: String
  let diagnostics: [Diagnostic]

  var messages: [String] {
    diagnostics.map { "\($0.diagMessage.severity): \($0.message)" }
  }

  /// The source after the first fix-it of the only diagnostic.
  var fixed: String? {
    guard diagnostics.count == 1, let fixIt = diagnostics[0].fixIts.first else { return nil }
    let source = diagnostics[0].node.root
    let edits = fixIt.edits.sorted { $0.range.lowerBound > $1.range.lowerBound }
    var bytes = Array(source.description.utf8)
    for edit in edits {
      let range = edit.range.lowerBound.utf8Offset..<edit.range.upperBound.utf8Offset
      bytes.replaceSubrange(range, with: Array(edit.replacement.utf8))
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The conformances the compiler tells `@Model` to add: none to a class that inherits them.
enum ModelConformances {
  case missing
  /// A protocol of the user refines `PersistentModel`.
  case refined
  case inherited

  var types: [TypeSyntax] {
    switch self {
    case .missing: ["Observable", "PersistentModel", "_ManagedModel", "Sendable"].map(type(named:))
    case .refined: ["_ManagedModel", "Sendable"].map(type(named:))
    case .inherited: []
    }
  }
}

private func type(named name: String) -> TypeSyntax {
  TypeSyntax(IdentifierTypeSyntax(name: .identifier(name)))
}

/// Expands the macros of models in a source text, and only those that are named.
func expandModel(
  _ source: String,
  only names: Set<String> = Set(modelMacros.keys),
  conformances: ModelConformances = .missing
) -> ModelExpansionResult {
  let file = Parser.parse(source: source)
  let context = BasicMacroExpansionContext(
    sourceFiles: [file: .init(moduleName: "Tests", fullFilePath: "Tests.swift")])
  let specifications = modelMacros.filter { names.contains($0.key) }.mapValues { macro in
    MacroSpec(
      type: macro,
      conformances: macro == PersistentModelActorMacro.self
        ? [type(named: "ModelActor")] : conformances.types)
  }
  let expanded = file.expand(
    macroSpecs: specifications,
    contextGenerator: { node in
      BasicMacroExpansionContext(
        sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
    },
    indentationWidth: .spaces(2))
  return ModelExpansionResult(
    text: expanded.description.trimmingTrailingSpaces, diagnostics: context.diagnostics)
}

private let modelMacros: [String: any Macro.Type] = [
  "Model": PersistentModelMacro.self,
  "_PersistedProperty": PersistedPropertyMacro.self,
  "_TransformablePersistedProperty": TransformablePersistedPropertyMacro.self,
  "Attribute": AttributePropertyMacro.self,
  "Relationship": RelationshipPropertyMacro.self,
  "Transient": TransientPropertyMacro.self,
  "Unique": UniqueConstraintsMacro.self,
  "Index": IndexMacro.self,
  "ModelActor": PersistentModelActorMacro.self,
  "Query": QueryMacro.self,
]

extension String {
  /// Lines without spaces at their ends, and the text without blank lines around it.
  fileprivate var trimmingTrailingSpaces: String {
    let lines = split(separator: "\n", omittingEmptySubsequences: false).map { line in
      String(line.reversed().drop { $0 == " " }.reversed())
    }
    let start = lines.firstIndex { !$0.isEmpty } ?? lines.startIndex
    let end = lines.lastIndex { !$0.isEmpty } ?? lines.startIndex
    return lines.isEmpty ? "" : lines[start...end].joined(separator: "\n")
  }
}
