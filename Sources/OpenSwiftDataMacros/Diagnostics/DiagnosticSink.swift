import SwiftDiagnostics
import SwiftSyntax

/// Collects the diagnostics of one expansion, in the order in which they are found.
struct DiagnosticSink {
  private(set) var diagnostics: [Diagnostic] = []

  mutating func report(
    _ message: ModelDiagnostic, at node: some SyntaxProtocol, fixIts: [FixIt] = []
  ) {
    diagnostics.append(Diagnostic(node: Syntax(node), message: message, fixIts: fixIts))
  }
}
