import SwiftDiagnostics
import SwiftSyntax

/// Checks the key paths of `#Index` and `#Unique`.
enum ConstraintValidation {
  static func check(
    _ node: MacroExpansionDeclSyntax, of model: ModelDeclaration, sink: inout DiagnosticSink
  ) {
    // Inherited properties are not visible here.
    guard let constraint = ConstraintDeclaration(node), model.possibleSuperclass == nil,
      constraint.model == nil || constraint.model == model.name
    else { return }
    let stored = Set(model.properties.map(\.name))
    let collector = KeyPathCollector(viewMode: .sourceAccurate)
    collector.walk(node.arguments)
    for path in collector.paths {
      guard let name = path.firstPropertyName, !stored.contains(name) else { continue }
      let macro = constraint.kind.rawValue
      let message: ModelDiagnostic =
        model.declared.variables.contains(name)
        ? .unstoredKeyPath(macro: macro, property: name, model: model.name)
        : .unknownKeyPath(macro: macro, property: name, model: model.name)
      sink.report(message, at: path)
    }
  }
}

private final class KeyPathCollector: SyntaxVisitor {
  private(set) var paths: [KeyPathExprSyntax] = []

  override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind {
    paths.append(node)
    return .skipChildren
  }
}
