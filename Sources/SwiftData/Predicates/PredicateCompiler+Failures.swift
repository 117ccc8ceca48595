import Foundation
import OpenSwiftDataSQLSyntax

extension PredicateExpressions.FalseOnFailure: PredicateNode {
  var operands: [any PredicateExpression] { [wrapped] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .boolean(try compiler.conditionOrFailure(wrapped))
  }
}

// Swift stops a program where `!` finds nil, where `as!` finds another class and where a computation
// leaves the range of its type. In a predicate the closure that contains the step is false instead,
// in SQL as in memory: the condition is joined with the demands of its steps.
extension PredicateCompiler {
  /// Adds what a step needs in order not to fail.
  mutating func demand(_ condition: SQLExpression) {
    if !condition.isTrue { demands.append(condition) }
  }

  /// Compiles what is evaluated under a condition only: elsewhere it cannot fail.
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

  /// The condition of a closure, false where a step of it fails.
  mutating func conditionOrFailure(_ expression: any PredicateExpression) throws -> SQLExpression {
    let outer = demands
    demands = []
    defer { demands = outer }
    let condition = try condition(expression)
    return demands.isEmpty ? condition : .all([condition] + demands)
  }

  /// What `body` makes; `nil` where a captured value that it needs could not be computed. Then the closure
  /// is false wherever the step is reached.
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
