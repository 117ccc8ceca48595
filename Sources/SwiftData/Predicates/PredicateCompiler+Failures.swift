import Foundation
import OpenSwiftDataSQLSyntax

extension PredicateExpressions.FalseOnFailure: PredicateNode {
  var operands: [any PredicateExpression] { [wrapped] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .boolean(try compiler.conditionOrFailure(wrapped))
  }
}

// Swift stops a program at `!` on nil, at `as!` to another class, and at an arithmetic overflow. In
// a predicate the closure that contains such a step is false instead, in SQL as in memory: its
// condition is joined with the demands of its steps.
extension PredicateCompiler {
  /// Adds a condition that must hold for a step to succeed.
  mutating func demand(_ condition: SQLExpression) {
    if !condition.isTrue { demands.append(condition) }
  }

  /// Compiles a part that is evaluated only under a condition; elsewhere it cannot fail.
  mutating func guarded<Result>(
    by guardian: @autoclosure () -> SQLExpression,
    _ body: (inout PredicateCompiler) throws -> Result
  ) rethrows -> Result {
    let outer = demands
    demands = []
    let result = try body(&self)
    if demands.isEmpty {
      demands = outer
    } else {
      let exempt = guardian().negated
      demands = outer + demands.map { .any([exempt, $0]) }
    }
    return result
  }

  /// The condition of a closure; false where one of its steps fails.
  mutating func conditionOrFailure(_ expression: any PredicateExpression) throws -> SQLExpression {
    let outer = demands
    demands = []
    defer { demands = outer }
    let condition = try condition(expression)
    return demands.isEmpty ? condition : .all([condition] + demands)
  }

  /// The result of `body`; `nil` if a captured value that it needs could not be computed. The
  /// closure is then false wherever the step is reached.
  mutating func orFailure<Result>(
    _ body: (inout PredicateCompiler) throws -> Result
  ) rethrows -> Result? {
    let before = (bindings.count, scopes, aliasCount, demands)
    do {
      return try body(&self)
    } catch {
      guard isFailedStep(error) else { throw error }
      bindings.removeSubrange(before.0...)
      (scopes, aliasCount, demands) = (before.1, before.2, before.3 + [.false])
      return nil
    }
  }
}
