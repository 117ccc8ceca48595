import Foundation
import OpenSwiftDataSQLSyntax

/// Compiles closures whose steps may fail. Nodes with such a step add to `demands`; nodes with a
/// part that is not always evaluated call `guarded`.
extension PredicateCompiler {
  /// Compiles a part that is evaluated only under a condition; elsewhere it cannot fail.
  mutating func guarded<Result>(
    by guardian: @autoclosure () -> SQLExpression,
    _ body: (inout PredicateCompiler) throws -> Result
  ) rethrows -> Result {
    let outer = demands
    demands = StepDemands()
    let result = try body(&self)
    let inner = demands
    demands = outer
    if !inner.isEmpty { demands.add(inner, unless: guardian().negated) }
    return result
  }

  /// The condition of a closure; false where one of its steps fails.
  mutating func conditionOrFailure(_ expression: any PredicateExpression) throws -> SQLExpression {
    let outer = demands
    demands = StepDemands()
    defer { demands = outer }
    let condition = try condition(expression)
    return demands.applied(to: condition)
  }

  /// The result of `body`; `nil` if a captured value that it needs could not be computed. The
  /// closure is then false wherever the step is reached.
  mutating func orFailure<Result>(
    _ body: (inout PredicateCompiler) throws -> Result
  ) rethrows -> Result? {
    let (before, outer) = (checkpoint, demands)
    do {
      return try body(&self)
    } catch {
      guard isFailedStep(error) else { throw error }
      rewind(to: before)
      demands = outer
      demands.add(.false)
      return nil
    }
  }
}
