import SwiftSyntax

/// What the names in a predicate's closure refer to.
struct PredicateNames {
  /// Names of predicate terms → their names in the expansion.
  private(set) var terms: [String: String] = [:]
  /// Captured `let`s that have another name in the expansion.
  private(set) var renamedCaptures: [String: String] = [:]
  /// Captured `let`s of the expansion that hold the result of an attempt.
  private var attempts: Set<String> = []

  mutating func bindTerm(_ name: String, as emitted: String) {
    renamedCaptures[name] = nil
    attempts.remove(name)
    terms[name] = emitted
  }

  mutating func bindCapture(_ name: String, as emitted: String, isAttempt: Bool) {
    terms[name] = nil
    renamedCaptures[name] = emitted == name ? nil : emitted
    if isAttempt { attempts.insert(emitted) } else { attempts.remove(emitted) }
  }

  /// The attempts that an expression of the expansion mentions.
  func attempts(in expression: ExprSyntax) -> [String] {
    guard !attempts.isEmpty else { return [] }
    let finder = MentionFinder(names: attempts)
    finder.walk(expression)
    return finder.mentioned.sorted()
  }

  /// Removes `$0`, `$1`, …, because an inner closure has its own.
  mutating func dropShorthands() {
    terms = terms.filter { !$0.key.hasPrefix("$") }
  }

  func isCaptured(_ expression: some SyntaxProtocol) -> Bool {
    let finder = MentionFinder(names: Set(terms.keys))
    finder.walk(expression)
    return !finder.found
  }

  func captured(_ expression: ExprSyntax) -> ExprSyntax {
    let expression = expression.trimmed
    guard !renamedCaptures.isEmpty else { return expression }
    return CaptureRenamer(names: renamedCaptures).rewrite(expression).cast(ExprSyntax.self)
  }
}

/// Generates names that cannot occur in the user's code: `_$0`, `_$1`, …
struct FreshNames {
  private var next = 0

  mutating func make() -> String {
    defer { next += 1 }
    return "_$\(next)"
  }
}

extension ClosureExprSyntax {
  /// The declared parameter names, including `_`.
  var parameterNames: [String] {
    switch signature?.parameterClause {
    case .simpleInput(let list): list.map(\.name.text)
    case .parameterClause(let clause):
      clause.parameters.map { ($0.secondName ?? $0.firstName).text }
    case nil: []
    }
  }

  /// `$0` and the following shorthand names, up to the last one that the statements use.
  var shorthandNames: [String] {
    var names = ["$0"]
    let finder = MentionFinder(names: ["$1", "$2", "$3", "$4"])
    finder.walk(statements)
    while let next = finder.mentioned.max(), names.last != next { names.append("$\(names.count)") }
    return names
  }
}

/// Finds uses of names in an expression, except where a closure parameter hides them.
private final class MentionFinder: SyntaxVisitor {
  private var names: Set<String>
  private(set) var mentioned: Set<String> = []
  var found: Bool { !mentioned.isEmpty }

  init(names: Set<String>) {
    self.names = names
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    if names.contains(node.baseName.text) { mentioned.insert(node.baseName.text) }
    return .skipChildren
  }

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    if let base = node.base { walk(base) }
    return .skipChildren
  }

  override func visit(_ node: KeyPathPropertyComponentSyntax) -> SyntaxVisitorContinueKind {
    .skipChildren
  }

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
    if let captures = node.signature?.capture { walk(captures) }
    let outer = names
    names = outer.filter { !$0.hasPrefix("$") }.subtracting(node.parameterNames)
    walk(node.statements)
    names = outer
    return .skipChildren
  }
}

/// Replaces captured `let`s by their names in the expansion.
private final class CaptureRenamer: SyntaxRewriter {
  private var names: [String: String]

  init(names: [String: String]) {
    self.names = names
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
    guard let name = names[node.baseName.text] else { return ExprSyntax(node) }
    return ExprSyntax(
      node.with(\.baseName, node.baseName.with(\.tokenKind, .identifier(name))))
  }

  override func visit(_ node: MemberAccessExprSyntax) -> ExprSyntax {
    ExprSyntax(node.with(\.base, node.base.map { visit($0) }))
  }

  override func visit(_ node: KeyPathPropertyComponentSyntax) -> KeyPathPropertyComponentSyntax {
    node
  }

  override func visit(_ node: ClosureExprSyntax) -> ExprSyntax {
    let outer = names
    for name in node.parameterNames { names[name] = nil }
    defer { names = outer }
    return super.visit(node)
  }
}
