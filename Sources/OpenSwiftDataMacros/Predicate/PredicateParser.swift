import SwiftSyntax

/// Parses the closure of a predicate into terms.
///
/// 1. A part that mentions no variable of the predicate is *captured*: its expression is kept.
/// 2. Everything else is split down to variables, and each part must have a builder.
/// 3. A chain `a?.b.c` is read from left to right. Each `?` opens an unwrapped variable, and the
///    end of the chain closes them all, innermost first.
/// 4. `let`s belong to the innermost closure of the expansion, in the order in which they are read.
struct PredicateParser {
  var names = PredicateNames()
  var fresh = FreshNames()
  /// The `let`s of the closure that is being parsed.
  var bindings: [PredicateBinding] = []
  /// The number of `if`, `else` and `guard` bodies around the current statement, in its closure.
  var branchDepth = 0
  /// The optionals that the current chain has unwrapped so far.
  var unwrapped: [(wrapped: PredicateTerm, name: String)] = []

  /// Any expression, with its optional chain closed.
  mutating func term(_ expression: ExprSyntax) throws -> PredicateTerm {
    let outer = unwrapped
    unwrapped = []
    defer { unwrapped = outer }
    var result = try link(expression, isWhole: true)
    for (wrapped, name) in unwrapped.reversed() {
      if case .reference(name) = result {
        result = wrapped
        continue
      }
      let transform = PredicateClosure(parameters: [name], bindings: [], result: result)
      result = .flatMap(wrapped, transform)
    }
    return result
  }

  /// An expression that may be the base of a longer chain.
  mutating func link(
    _ expression: ExprSyntax, isWhole: Bool = false
  ) throws -> PredicateTerm {
    if let parenthesized = expression.parenthesized { return try term(parenthesized) }
    if let range = try rangeTerm(expression) { return range }
    if names.isCaptured(expression) {
      return !isWhole && expression.isOpenChain ? opened(expression) : captured(expression)
    }
    switch expression.as(ExprSyntaxEnum.self) {
    case .declReferenceExpr(let reference):
      return .reference(names.terms[reference.baseName.text] ?? reference.baseName.text)
    case .memberAccessExpr(let access):
      return try member(access)
    case .optionalChainingExpr(let chaining):
      return unwrapping(try link(chaining.expression))
    case .forceUnwrapExpr(let unwrap):
      return .unary("ForcedUnwrap", try link(unwrap.expression))
    case .functionCallExpr(let call):
      return try self.call(call)
    case .subscriptCallExpr(let call):
      return try self.subscriptCall(call)
    case .prefixOperatorExpr(let prefix):
      return try self.prefix(prefix)
    case .infixOperatorExpr(let infix):
      return try self.infix(infix)
    case .ternaryExpr(let ternary):
      return .conditional(
        try term(ternary.condition), try term(ternary.thenExpression),
        try term(ternary.elseExpression))
    case .isExpr(let check):
      return .cast(node: "TypeCheck", try term(check.expression), to: check.type)
    case .asExpr(let cast):
      return try self.cast(cast)
    case .ifExpr(let branch):
      return try self.branch(branch, rest: [])
    case .switchExpr(let choice):
      return try self.choice(choice)
    case .tryExpr(let attempt):
      return try term(attempt.expression)
    default:
      throw refusal(of: expression)
    }
  }

  private mutating func member(_ access: MemberAccessExprSyntax) throws -> PredicateTerm {
    guard let base = access.base else { throw PredicateDiagnostic.elsewhere.error(at: access) }
    try refuseList(base)
    let name = access.declName
    if name.argumentNames != nil {
      throw PredicateDiagnostic.method(name.baseName.text).error(at: name)
    }
    let root = try link(base)
    return name.baseName.tokenKind == .keyword(.self)
      ? root : .member(of: root, named: name.baseName.text)
  }

  private mutating func cast(_ cast: AsExprSyntax) throws -> PredicateTerm {
    let node =
      switch cast.questionOrExclamationMark?.tokenKind {
      case .postfixQuestionMark: "ConditionalCast"
      case .exclamationMark: "ForceCast"
      default:
        throw PredicateDiagnostic.coercion(cast.type.trimmedDescription).error(at: cast.asKeyword)
      }
    return .cast(node: node, try term(cast.expression), to: cast.type)
  }

  private func refusal(of expression: ExprSyntax) -> any Error {
    let diagnostic: PredicateDiagnostic =
      switch expression.as(ExprSyntaxEnum.self) {
      case .stringLiteralExpr: .interpolation
      case .arrayExpr, .dictionaryExpr: .collectionLiteral
      case .tupleExpr: .tuple
      default: .elsewhere
      }
    return diagnostic.error(at: expression)
  }
}

extension ExprSyntax {
  /// The expression inside parentheses that only group.
  var parenthesized: ExprSyntax? {
    guard let tuple = self.as(TupleExprSyntax.self), tuple.elements.count == 1,
      let element = tuple.elements.first, element.label == nil
    else { return nil }
    return element.expression
  }
}
