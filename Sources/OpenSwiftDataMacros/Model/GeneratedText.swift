import SwiftSyntax

// The compiler parses the text of the syntax that a macro returns. Parsing it here too would take a
// third of the plugin's time, so a generated member is one token that holds its whole text.

extension DeclSyntax {
  /// A declaration that is not parsed here.
  init(text: String) {
    self.init(MissingDeclSyntax(placeholder: .identifier(text)))
  }
}

extension AccessorDeclSyntax {
  /// An accessor that is not parsed here.
  init(text: String) {
    self.init(accessorSpecifier: .identifier(text))
  }
}

extension AttributeSyntax {
  /// An attribute with one unlabeled argument.
  init(named name: String, argument: String) {
    let value = DeclReferenceExprSyntax(baseName: .identifier(argument))
    self.init(
      attributeName: IdentifierTypeSyntax(name: .identifier(name)),
      leftParen: .leftParenToken(),
      arguments: .argumentList([LabeledExprSyntax(expression: value)]),
      rightParen: .rightParenToken())
  }
}
