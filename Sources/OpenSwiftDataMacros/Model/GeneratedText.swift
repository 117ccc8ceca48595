import SwiftSyntax

// A macro returns syntax, which is written as text for the compiler, which parses it. Parsing it here
// too would be a third of the plugin's time, so generated members are single tokens with their text.

extension DeclSyntax {
  /// A declaration that is not parsed.
  init(text: String) {
    self.init(MissingDeclSyntax(placeholder: .identifier(text)))
  }
}

extension AccessorDeclSyntax {
  /// An accessor that is not parsed.
  init(text: String) {
    self.init(accessorSpecifier: .identifier(text))
  }
}

extension AttributeSyntax {
  /// An attribute with one argument without a label.
  init(named name: String, argument: String) {
    let value = DeclReferenceExprSyntax(baseName: .identifier(argument))
    self.init(
      attributeName: IdentifierTypeSyntax(name: .identifier(name)),
      leftParen: .leftParenToken(),
      arguments: .argumentList([LabeledExprSyntax(expression: value)]),
      rightParen: .rightParenToken())
  }
}
