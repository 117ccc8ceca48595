import OpenSwiftDataMacros
import SwiftDiagnostics
import SwiftOperators
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

/// What the predicate macros make of one use.
enum PredicateOutcome: Equatable {
  /// The expansion, shortened: builders without `PredicateExpressions.build_`, and `a.b` for
  /// `build_KeyPath(root: a, keyPath: \.b)` and `build_Member(root: a, keyPath: \.b)`.
  case expansion(String)
  /// The first refusal: the source it points at, and its message.
  case refusal(at: String, String)
}

/// Expands `#Predicate…` or `#Expression…` as the compiler does, operators folded.
func outcome(of source: String) throws -> PredicateOutcome {
  let statements = Parser.parse(source: source).statements
  let folded = try OperatorTable.standardOperators.foldAll(statements)
  guard let node = folded.firstMacro else { return .refusal(at: source, "not a macro") }
  do {
    let macro: any ExpressionMacro.Type =
      node.macroName.text == "Expression" ? ExpressionExpansion.self : PredicateExpansion.self
    let expansion = try macro.expansion(of: node, in: BasicMacroExpansionContext())
    return .expansion(shortened(expansion.description))
  } catch let error as DiagnosticsError {
    let first = error.diagnostics[0]
    return .refusal(at: first.node.trimmedDescription, first.message)
  }
}

private func shortened(_ expansion: String) -> String {
  let keyPath = /(?:KeyPath|Member)\(root: ([^(), ]+), keyPath: \\\.(\w+)\)/
  var text =
    expansion
    .replacing("PredicateExpressions.build_", with: "")
    .replacing("PredicateExpressions.", with: "")
  while text.contains(keyPath) { text = text.replacing(keyPath) { "\($0.1).\($0.2)" } }
  return text
}

extension SyntaxProtocol {
  fileprivate var firstMacro: MacroExpansionExprSyntax? {
    if let macro = self.as(MacroExpansionExprSyntax.self) { return macro }
    for child in children(viewMode: .sourceAccurate) {
      if let macro = child.firstMacro { return macro }
    }
    return nil
  }
}
