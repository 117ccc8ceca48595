import SwiftDiagnostics
import SwiftSyntax

/// What parsing found wrong, in source order of discovery.
struct DiagnosticSink {
  private(set) var diagnostics: [Diagnostic] = []

  mutating func report(
    _ message: ModelDiagnostic, at node: some SyntaxProtocol, fixIts: [FixIt] = []
  ) {
    diagnostics.append(Diagnostic(node: Syntax(node), message: message, fixIts: fixIts))
  }
}
