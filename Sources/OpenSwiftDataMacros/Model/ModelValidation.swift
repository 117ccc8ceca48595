import SwiftDiagnostics
import SwiftSyntax

/// Checks a class with `@Model` and reports what the expansion could not make sense of.
struct ModelValidation {
  private let node: ClassDeclSyntax
  private let model: ModelDeclaration
  private var sink = DiagnosticSink()

  private init(_ node: ClassDeclSyntax, _ model: ModelDeclaration) {
    self.node = node
    self.model = model
  }

  static func diagnostics(of node: ClassDeclSyntax, _ model: ModelDeclaration) -> [Diagnostic] {
    var validation = ModelValidation(node, model)
    validation.run()
    return validation.sink.diagnostics
  }

  private mutating func run() {
    if let generics = node.genericParameterClause {
      sink.report(.genericModel(model: model.name), at: generics)
    }
    checkInitializer()
    for member in node.memberBlock.members {
      if let variable = member.decl.as(VariableDeclSyntax.self) {
        PropertyValidation.check(variable, of: model, sink: &sink)
      } else if let block = member.decl.as(IfConfigDeclSyntax.self) {
        checkConditional(block)
      } else if let expansion = member.decl.as(MacroExpansionDeclSyntax.self) {
        ConstraintValidation.check(expansion, of: model, sink: &sink)
      }
    }
  }

  /// Any initialiser written by the user will do; the one taking backing data is ours.
  private mutating func checkInitializer() {
    guard !model.declared.hasInitializer else { return }
    let fixIts = InitializerFixIt.make(for: node, model).map { [$0] } ?? []
    sink.report(.missingInitializer(model: model.name), at: node.name, fixIts: fixIts)
  }

  /// Which branch is active is not known here, so slots could not be numbered.
  private mutating func checkConditional(_ block: IfConfigDeclSyntax) {
    for clause in block.clauses {
      guard case .decls(let members) = clause.elements else { continue }
      for variable in members.compactMap({ $0.decl.as(VariableDeclSyntax.self) }) {
        guard let property = PropertyDeclaration(variable) else { continue }
        sink.report(.conditionalProperty(property.name), at: property.position(in: variable))
      }
    }
  }
}

extension PropertyDeclaration {
  /// The name where it stands in the source; the value itself holds a detached copy.
  func position(in node: VariableDeclSyntax) -> Syntax {
    Syntax(node.bindings.first?.pattern) ?? Syntax(node)
  }
}
