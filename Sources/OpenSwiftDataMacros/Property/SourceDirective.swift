import SwiftSyntax
import SwiftSyntaxMacros

/// Directives around generated code that give its errors the position of the user's declaration.
struct SourceDirective {
  /// The lines before and after the code; empty if the position is not known.
  let start: String
  let end: String

  init(of node: some SyntaxProtocol, in context: some MacroExpansionContext) {
    let location = context.location(of: node, at: .afterLeadingTrivia, filePathMode: .filePath)
    guard let location,
      let file = location.file.as(StringLiteralExprSyntax.self)?.trimmedDescription,
      // The compiler accepts only a plain string literal.
      file.hasPrefix("\""), !file.contains("\\")
    else {
      (start, end) = ("", "")
      return
    }
    start = "#sourceLocation(file: \(file), line: \(location.line.trimmedDescription))\n"
    end = "#sourceLocation()\n"
  }
}
