import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// Checks the key paths of `#Index` and `#Unique`.
enum ConstraintValidation {
  static func check(
    _ node: MacroExpansionDeclSyntax, of model: ModelDeclaration, sink: inout DiagnosticSink
  ) {
    guard let constraint = ConstraintDeclaration(node) else { return }
    if let other = constraint.model, !names(other, model) {
      let argument = node.genericArgumentClause?.arguments.first
      let fixIts = argument.map {
        [ModelFixIt.useOwnModel.replacing($0.argument, with: "\(raw: model.name)" as TypeSyntax)]
      }
      sink.report(
        .constraintOfOtherModel(
          macro: constraint.kind.rawValue, other: other, model: model.name),
        at: argument.map(Syntax.init) ?? Syntax(node), fixIts: fixIts ?? [])
      return
    }
    // The macro does not see inherited properties.
    guard model.possibleSuperclass == nil else { return }
    let stored = Set(model.properties.map(\.name))
    let collector = KeyPathCollector(viewMode: .sourceAccurate)
    collector.walk(node.arguments)
    for path in collector.paths {
      let macro = constraint.kind.rawValue
      guard let name = path.firstPropertyName else { continue }
      if let property = model.properties.first(where: { $0.name == name }) {
        check(property, path, macro, model, sink: &sink)
      }
      guard !stored.contains(name) else { continue }
      let message: ModelDiagnostic =
        model.declared.variables.contains(name)
        ? .unstoredKeyPath(macro: macro, property: name, model: model.name)
        : .unknownKeyPath(macro: macro, property: name, model: model.name)
      sink.report(message, at: path)
    }
  }

  /// Checks the stored property that a key path begins with, as far as its syntax shows.
  private static func check(
    _ property: PropertyDeclaration, _ path: KeyPathExprSyntax, _ macro: String,
    _ model: ModelDeclaration, sink: inout DiagnosticSink
  ) {
    guard let schema = property.schema else { return }
    if schema.isTransformable {
      sink.report(.constraintOnTransformable(macro: macro, property: property.name), at: path)
    } else if schema.kind == .relationship, path.propertyCount > 1 {
      sink.report(
        .pathThroughRelationship(macro: macro, property: property.name, model: model.name),
        at: path)
    }
  }

  /// Whether a written type has the last name of the class, or may be its superclass.
  private static func names(_ type: String, _ model: ModelDeclaration) -> Bool {
    let name = type.split(separator: ".").last.map(String.init)
    return name == model.name || type == model.possibleSuperclass
  }
}

private final class KeyPathCollector: SyntaxVisitor {
  private(set) var paths: [KeyPathExprSyntax] = []

  override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind {
    paths.append(node)
    return .skipChildren
  }
}
