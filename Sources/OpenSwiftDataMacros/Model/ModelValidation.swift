import SwiftDiagnostics
import SwiftSyntax

/// Checks a class with `@Model` and reports what the expansion does not support.
struct ModelValidation {
  private let node: ClassDeclSyntax
  private let model: ModelDeclaration
  private let ancestry: ModelAncestry
  private var sink = DiagnosticSink()

  private init(_ node: ClassDeclSyntax, _ model: ModelDeclaration, _ ancestry: ModelAncestry) {
    self.node = node
    self.model = model
    self.ancestry = ancestry
  }

  static func diagnostics(
    of node: ClassDeclSyntax, _ model: ModelDeclaration, _ ancestry: ModelAncestry
  ) -> [Diagnostic] {
    var validation = ModelValidation(node, model, ancestry)
    validation.run()
    return validation.sink.diagnostics
  }

  private mutating func run() {
    if let generics = node.genericParameterClause {
      sink.report(.genericModel(model: model.name), at: generics)
    }
    checkInitializer()
    checkHash()
    let members = node.memberBlock.members.map(\.decl)
    for member in members {
      if let variable = member.as(VariableDeclSyntax.self) {
        PropertyValidation.check(variable, of: model, sink: &sink)
      } else if let block = member.as(IfConfigDeclSyntax.self) {
        checkConditional(block)
      }
    }
    for member in members.compiled {
      guard let expansion = member.as(MacroExpansionDeclSyntax.self) else { continue }
      ConstraintValidation.check(expansion, of: model, sink: &sink)
    }
    for member in members.undecided {
      guard let expansion = member.as(MacroExpansionDeclSyntax.self),
        ConstraintDeclaration(expansion) != nil
      else { continue }
      let macro = "#\(expansion.macroName.text)"
      sink.report(.conditionalDeclaration(macro: macro, of: model.name), at: expansion)
    }
  }

  /// Any initialiser in the class is enough; the one that takes backing data is generated.
  private mutating func checkInitializer() {
    guard !model.declared.hasInitializer else { return }
    let fixIts = InitializerFixIt.make(for: node, model).map { [$0] } ?? []
    sink.report(.missingInitializer(model: model.name), at: node.name, fixIts: fixIts)
  }

  /// Equal models need equal hashes; the generated one is that of the identity.
  private mutating func checkHash() {
    guard !model.equalities.isEmpty, ancestry == .root, !model.hasHash else { return }
    sink.report(.equalityWithoutHash(model: model.name), at: node.name)
  }

  /// The macro does not know which branch is active, so it could not number the slots.
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
  /// The name's position in the source; the parsed value holds a detached copy.
  func position(in node: VariableDeclSyntax) -> Syntax {
    Syntax(node.bindings.first?.pattern) ?? Syntax(node)
  }
}
