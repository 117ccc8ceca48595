import SwiftSyntax
import SwiftSyntaxBuilder

// Parts of a predicate that mention none of its variables. They are evaluated when the predicate is
// made. If a step fails then, the failure is stored instead of the value, and evaluating that part
// fails.
extension PredicateParser {
  mutating func captured(_ expression: ExprSyntax) -> PredicateTerm {
    if expression.is(NilLiteralExprSyntax.self) { return .nilLiteral }
    let (value, mayFail, isTyped) = capturedValue(expression)
    return mayFail ? .attempted(value, isTyped: isTyped) : .captured(value)
  }

  /// The expression of a captured part in the expansion, whether it needs a `try`, and whether it
  /// is arithmetic whose type does not depend on its context.
  mutating func capturedValue(
    _ expression: ExprSyntax
  ) -> (value: ExprSyntax, mayFail: Bool, isTyped: Bool) {
    let renamed = names.captured(expression)
    let rewriter = CaptureRewriter(fresh: fresh)
    let rewritten = rewriter.part(renamed)
    let attempts = names.attempts(in: renamed)
    guard !attempts.isEmpty || rewriter.hasSteps else { return (renamed, false, false) }
    fresh = rewriter.fresh
    let isTyped = renamed.isArithmetic && rewriter.hasTypedOperand
    guard !attempts.isEmpty else { return (rewritten, true, isTyped) }
    let values = attempts.map { "\($0).get()" }.joined(separator: ", ")
    let start = "{ \(attempts.joined(separator: ", ")) in \(rewriter.hasSteps ? "try " : "")"
    return ("\(raw: start)\(rewritten) }(\(raw: values))", true, isTyped)
  }

  mutating func bind(
    captured value: ExprSyntax, _ type: TypeAnnotationSyntax?, to name: String, as emitted: String
  ) {
    let (value, mayFail, _) = capturedValue(value)
    bindings.append(
      PredicateBinding(
        name: emitted, value: mayFail ? .attempt(value, type) : .captured(value, type)))
    names.bindCapture(name, as: emitted, isAttempt: mayFail)
  }

  /// A captured optional at the start of a longer chain: `codes?` of `codes?.contains($0.code)`.
  mutating func opened(_ chain: ExprSyntax) -> PredicateTerm {
    let optional = chain.as(OptionalChainingExprSyntax.self)?.expression ?? chain
    return unwrapping(captured(optional))
  }

  /// The variable for the unwrapped value, in the rest of the current chain.
  mutating func unwrapping(_ optional: PredicateTerm) -> PredicateTerm {
    let name = fresh.make()
    unwrapped.append((optional, name))
    return .reference(name)
  }
}
