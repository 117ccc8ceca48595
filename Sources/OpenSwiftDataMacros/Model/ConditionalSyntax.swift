import SwiftSyntax

/// `#if` in models, as far as a macro can decide it. The compiler passes both branches, and not the settings of
/// the build.
///
/// `canImport(SwiftData)` holds wherever one of these macros is expanded. Packages that are also built without
/// SwiftData write it around attributes. Other conditions are unknown: what models need must be outside of them.
extension IfConfigDeclSyntax {
  /// The clauses of which at most one is compiled.
  fileprivate var possibleClauses: [IfConfigClauseSyntax] {
    var possible: [IfConfigClauseSyntax] = []
    for clause in clauses where clause.holds != false {
      possible.append(clause)
      if clause.holds == true { break }
    }
    return possible
  }

  /// The clause that is compiled; `nil` for none, or if that is unknown.
  fileprivate var knownClause: IfConfigClauseSyntax? {
    possibleClauses.first.flatMap { $0.holds == true ? $0 : nil }
  }
}

extension IfConfigClauseSyntax {
  /// Whether the condition holds; `nil` if that is unknown. `#else` has none.
  fileprivate var holds: Bool? {
    guard let condition else { return true }
    return condition.valueOfCondition
  }

  /// The members of a type in the clause, without those of blocks inside it.
  var members: [DeclSyntax] {
    guard case .decls(let members) = elements else { return [] }
    return members.map(\.decl)
  }

  fileprivate var attributes: AttributeListSyntax? {
    guard case .attributes(let attributes) = elements else { return nil }
    return attributes
  }
}

extension ExprSyntax {
  /// The value of the condition of an `#if`; `nil` if it is unknown.
  fileprivate var valueOfCondition: Bool? {
    if let literal = self.as(BooleanLiteralExprSyntax.self) {
      return literal.literal.tokenKind == .keyword(.true)
    }
    if let negation = self.as(PrefixOperatorExprSyntax.self), negation.operator.text == "!" {
      return negation.expression.valueOfCondition.map { !$0 }
    }
    let isOurs = trimmedDescription.filter { !$0.isWhitespace } == "canImport(SwiftData)"
    return isOurs ? true : nil
  }
}

extension AttributeListSyntax {
  /// The attributes, also of clauses that are known to be compiled.
  var compiled: [AttributeSyntax] {
    flatMap { element -> [AttributeSyntax] in
      switch element {
      case .attribute(let attribute): [attribute]
      case .ifConfigDecl(let block): block.knownClause?.attributes?.compiled ?? []
      }
    }
  }

  /// The attributes of clauses of which it is unknown whether they are compiled.
  var undecided: [AttributeSyntax] {
    flatMap { element -> [AttributeSyntax] in
      guard case .ifConfigDecl(let block) = element else { return [] }
      if let clause = block.knownClause { return clause.attributes?.undecided ?? [] }
      return block.possibleClauses.compactMap(\.attributes).flatMap { $0.compiled + $0.undecided }
    }
  }

  func all(named name: String) -> [AttributeSyntax] { compiled.filter { $0.plainName == name } }

  func has(_ name: String) -> Bool {
    contains { element in
      switch element {
      case .attribute(let attribute): attribute.plainName == name
      case .ifConfigDecl(let block): block.knownClause?.attributes?.has(name) ?? false
      }
    }
  }

  func mayHave(_ name: String) -> Bool { has(name) || undecided.contains { $0.plainName == name } }
}

extension [DeclSyntax] {
  /// The members of a type, also of clauses that are known to be compiled.
  var compiled: [DeclSyntax] {
    flatMap { member in
      guard let block = member.as(IfConfigDeclSyntax.self) else { return [member] }
      return block.knownClause?.members.compiled ?? []
    }
  }

  /// The members of clauses of which it is unknown whether they are compiled.
  var undecided: [DeclSyntax] {
    flatMap { member -> [DeclSyntax] in
      guard let block = member.as(IfConfigDeclSyntax.self) else { return [] }
      if let clause = block.knownClause { return clause.members.undecided }
      return block.possibleClauses.flatMap { $0.members.compiled + $0.members.undecided }
    }
  }
}
