import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

extension MacroExpansionContext {
  func report(_ message: ModelDiagnostic, at node: some SyntaxProtocol) {
    diagnose(Diagnostic(node: Syntax(node), message: message))
  }

  /// Whether the expanded declaration is a direct member of a class with `@Model`.
  var isInsideModel: Bool {
    lexicalContext.first?.as(ClassDeclSyntax.self)?.attributes.mayHave("Model") ?? false
  }

  /// Whether the expanded declaration is inside a function.
  var isInsideFunction: Bool {
    lexicalContext.contains { node in
      node.is(FunctionDeclSyntax.self) || node.is(InitializerDeclSyntax.self)
        || node.is(AccessorDeclSyntax.self) || node.is(ClosureExprSyntax.self)
    }
  }
}

extension ModelDiagnostic {
  static func notApplicable(macro: String, to declaration: some DeclGroupSyntax) -> Self {
    let name = declaration.asProtocol((any NamedDeclSyntax).self)?.name.plainName
    return .notApplicable(macro: macro, kind: declaration.introducer.text, name: name ?? "")
  }
}
