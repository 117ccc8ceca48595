import SwiftSyntax

/// The `@available` attributes of a declaration, or of the nearest enclosing type if it has none.
struct Availability {
  let text: String

  init(of attributes: AttributeListSyntax, in lexicalContext: [Syntax]) {
    let lists =
      [attributes]
      + lexicalContext.compactMap { $0.asProtocol((any WithAttributesSyntax).self)?.attributes }
    let nearest = lists.lazy.map { $0.all(named: "available") }.first { !$0.isEmpty }
    text = (nearest ?? []).map { "\($0.trimmedDescription)\n" }.joined()
  }
}
