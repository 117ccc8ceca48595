import SwiftSyntax
import SwiftSyntaxBuilder

/// Rewrites a captured expression so that steps that would stop the program throw instead.
///
/// 1. `x!` becomes `_present(x)!`, `x as! T` becomes `_castable(x, to: T.self) as! T`, `x[i]`
///    becomes `_checked(x)[i]`, a range becomes `_range(…)`, `try!` loses its `!`. The step itself
///    stays, so that type inference gives the same types; the added function throws where the step
///    would stop the program.
/// 2. Integer arithmetic stays too, in `_computed(…)`, which repeats the computation step by step
///    and throws where a step has no result (`CaptureRewriter+Arithmetic`).
/// 3. In an optional chain, the part after a `?` moves into a closure of `flatMap`.
/// 4. Closures are not rewritten: the function they are passed to may not accept a throwing
///    closure.
final class CaptureRewriter: SyntaxRewriter {
  var fresh: FreshNames
  /// Whether the expression contains a step that may throw.
  var hasSteps = false
  /// Whether the last arithmetic expression has an operand whose type does not depend on its
  /// context.
  var hasTypedOperand = false

  init(fresh: FreshNames) {
    self.fresh = fresh
  }

  /// Rewrites a subexpression.
  func part(_ expression: ExprSyntax) -> ExprSyntax {
    rewrite(expression.trimmed).cast(ExprSyntax.self)
  }

  override func visit(_ node: ForceUnwrapExprSyntax) -> ExprSyntax {
    if let split = splitChain(ExprSyntax(node)) { return split }
    hasSteps = true
    return kept("PredicateExpressions._present(\(part(node.expression)))!", as: node)
  }

  override func visit(_ node: SubscriptCallExprSyntax) -> ExprSyntax {
    if let split = splitChain(ExprSyntax(node)) { return split }
    guard node.isChecked, let argument = node.arguments.first?.expression else {
      return super.visit(node)
    }
    hasSteps = true
    let base = part(node.calledExpression)
    return kept("PredicateExpressions._checked(\(base))[\(part(argument))]", as: node)
  }

  override func visit(_ node: MemberAccessExprSyntax) -> ExprSyntax {
    splitChain(ExprSyntax(node))
      ?? ExprSyntax(node.with(\.base, node.base.map { part($0) }))
  }

  override func visit(_ node: FunctionCallExprSyntax) -> ExprSyntax {
    splitChain(ExprSyntax(node)) ?? arithmetic(ExprSyntax(node)) ?? super.visit(node)
  }

  override func visit(_ node: AsExprSyntax) -> ExprSyntax {
    guard node.questionOrExclamationMark?.tokenKind == .exclamationMark else {
      return super.visit(node)
    }
    hasSteps = true
    let type = node.type.trimmed
    let value = part(node.expression)
    return kept(
      "PredicateExpressions._castable(\(value), to: (\(type)).self) as! \(type)", as: node)
  }

  override func visit(_ node: TryExprSyntax) -> ExprSyntax {
    switch node.questionOrExclamationMark?.tokenKind {
    // A step that fails inside would become nil.
    case .postfixQuestionMark: return ExprSyntax(node)
    case .exclamationMark:
      hasSteps = true
      return kept(part(node.expression), as: node)
    default: return super.visit(node)
    }
  }

  override func visit(_ node: InfixOperatorExprSyntax) -> ExprSyntax {
    guard let name = node.operator.as(BinaryOperatorExprSyntax.self)?.operator.text else {
      return super.visit(node)
    }
    switch name {
    case "...", "..<":
      guard !node.leftOperand.isNumberLiteral || !node.rightOperand.isNumberLiteral else {
        return super.visit(node)
      }
      hasSteps = true
      let (lower, upper) = (part(node.leftOperand), part(node.rightOperand))
      let label: TokenSyntax = name == "..." ? "through" : "upTo"
      return kept("PredicateExpressions._range(\(lower), \(label): \(upper))", as: node)
    case "+", "-", "*", "/", "%": return arithmetic(ExprSyntax(node)) ?? super.visit(node)
    default: return super.visit(node)
    }
  }

  override func visit(_ node: PrefixOperatorExprSyntax) -> ExprSyntax {
    arithmetic(ExprSyntax(node)) ?? super.visit(node)
  }

  override func visit(_ node: ClosureExprSyntax) -> ExprSyntax { ExprSyntax(node) }
  override func visit(_ node: KeyPathExprSyntax) -> ExprSyntax { ExprSyntax(node) }
  override func visit(_ node: InOutExprSyntax) -> ExprSyntax { ExprSyntax(node) }
  override func visit(_ node: IfExprSyntax) -> ExprSyntax { ExprSyntax(node) }
  override func visit(_ node: SwitchExprSyntax) -> ExprSyntax { ExprSyntax(node) }
  override func visit(_ node: MacroExpansionExprSyntax) -> ExprSyntax { ExprSyntax(node) }

  /// `a?.b[0].c` as `a.flatMap { v in try _checked(v.b)[0].c }`; nil if no step follows a `?`.
  private func splitChain(_ expression: ExprSyntax) -> ExprSyntax? {
    var current = expression
    var isStepped = false
    // The innermost `?`, and whether a step follows it.
    var found: (chaining: OptionalChainingExprSyntax, isStepped: Bool)?
    while true {
      if let chaining = current.as(OptionalChainingExprSyntax.self) {
        found = (chaining, isStepped)
      } else if current.is(ForceUnwrapExprSyntax.self)
        || current.as(SubscriptCallExprSyntax.self)?.isChecked == true
      {
        isStepped = true
      }
      guard let base = current.chainBase else { break }
      current = base
    }
    guard let found, found.isStepped else { return nil }
    hasSteps = true
    let name = TokenSyntax.identifier(fresh.make())
    let rest = ChainCutter(at: found.chaining.id, name: name).rewrite(expression)
      .cast(ExprSyntax.self)
    let base = part(found.chaining.expression)
    return kept("\(base).flatMap { \(name) in try \(part(rest)) }", as: expression)
  }

  /// The replacement of an expression, with the whitespace around the original.
  func kept(_ replacement: ExprSyntax, as expression: some ExprSyntaxProtocol) -> ExprSyntax {
    replacement.with(\.leadingTrivia, expression.leadingTrivia)
      .with(\.trailingTrivia, expression.trailingTrivia)
  }
}

extension ExprSyntax {
  /// The expression that this one is a chain link of, as `a` in `a.b`.
  var chainBase: ExprSyntax? {
    switch self.as(ExprSyntaxEnum.self) {
    case .optionalChainingExpr(let node): node.expression
    case .forceUnwrapExpr(let node): node.expression
    case .memberAccessExpr(let node): node.base
    case .functionCallExpr(let node): node.calledExpression
    case .subscriptCallExpr(let node): node.calledExpression
    default: nil
    }
  }

  /// Whether the chain contains a `?`, so that its value is optional at its end.
  var isOpenChain: Bool {
    var current = self
    while let base = current.chainBase {
      if current.is(OptionalChainingExprSyntax.self) { return true }
      current = base
    }
    return false
  }

  /// Whether it begins with an implicit member, such as `.max`.
  var isImplicitMember: Bool {
    var current = self
    while let base = current.chainBase { current = base }
    return current.is(MemberAccessExprSyntax.self)
  }

  /// Whether it is a number, with or without a sign.
  var isNumberLiteral: Bool {
    if let prefix = self.as(PrefixOperatorExprSyntax.self), prefix.operator.text == "-" {
      return prefix.expression.isNumberLiteral
    }
    return self.is(IntegerLiteralExprSyntax.self) || self.is(FloatLiteralExprSyntax.self)
  }
}

extension SubscriptCallExprSyntax {
  /// Whether the argument may be an index or a range of a collection. A labelled subscript is
  /// defined by the user or has a default value, and a subscript of a type takes no index.
  fileprivate var isChecked: Bool {
    guard arguments.count == 1, let argument = arguments.first, argument.label == nil,
      !argument.expression.is(ClosureExprSyntax.self), trailingClosure == nil,
      !calledExpression.is(SuperExprSyntax.self)
    else { return false }
    let name = calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text
    return name?.first?.isUppercase != true
  }
}

/// Replaces one link of a chain by a name.
private final class ChainCutter: SyntaxRewriter {
  private let link: SyntaxIdentifier
  private let name: TokenSyntax

  init(at link: SyntaxIdentifier, name: TokenSyntax) {
    self.link = link
    self.name = name
  }

  override func visit(_ node: OptionalChainingExprSyntax) -> ExprSyntax {
    node.id == link ? ExprSyntax(DeclReferenceExprSyntax(baseName: name)) : super.visit(node)
  }
}
