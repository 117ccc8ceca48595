import Foundation
import OpenSwiftDataSQLSyntax

extension PredicateExpressions.PredicateEvaluate: PredicateNode {
  var operands: [any PredicateExpression] {
    var operands: [any PredicateExpression] = [predicate]
    for input in repeat each input { operands.append(input) }
    return operands
  }

  var evaluatedExpression: EvaluatedExpression? {
    guard let inner = try? predicate.evaluate(PredicateBindings()) else { return nil }
    var inputs: [(variable: PredicateExpressions.VariableID, input: any PredicateExpression)] = []
    for (variable, input) in repeat (each inner.variable, each input) {
      inputs.append((variable.key, input))
    }
    return EvaluatedExpression(expression: inner.expression, inputs: inputs)
  }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    guard let inner = try opened(in: &compiler) else {
      throw NotInSQL("a predicate that a row provides")
    }
    return try compiler.term(inner)
  }

  func opened(in compiler: inout PredicateCompiler) throws -> (any PredicateExpression)? {
    guard case .captured(let value) = try compiler.term(predicate),
      let inner = value as? Predicate<repeat (each Input).Output>
    else { return nil }
    for (variable, input) in repeat (each inner.variable, each input) {
      try compiler.assign(variable, compiler.term(input))
    }
    return inner.expression
  }
}

extension PredicateExpressions.ExpressionEvaluate: PredicateNode {
  var operands: [any PredicateExpression] {
    var operands: [any PredicateExpression] = [expression]
    for input in repeat each input { operands.append(input) }
    return operands
  }

  var evaluatedExpression: EvaluatedExpression? {
    guard let inner = try? expression.evaluate(PredicateBindings()) else { return nil }
    var inputs: [(variable: PredicateExpressions.VariableID, input: any PredicateExpression)] = []
    for (variable, input) in repeat (each inner.variable, each input) {
      inputs.append((variable.key, input))
    }
    return EvaluatedExpression(expression: inner.expression, inputs: inputs)
  }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    guard case .captured(let value) = try compiler.term(expression),
      let inner = value as? Expression<repeat (each Input).Output, Output>
    else { throw NotInSQL("an expression that a row provides") }
    for (variable, input) in repeat (each inner.variable, each input) {
      try compiler.assign(variable, compiler.term(input))
    }
    return try compiler.term(inner.expression)
  }
}

extension PredicateCompiler {
  /// Assigns a term to the variable of an inner predicate. The same predicate may be evaluated for
  /// several rows: each evaluation assigns the variable again, and compiles its terms immediately.
  fileprivate mutating func assign<Value>(
    _ variable: PredicateExpressions.Variable<Value>, _ term: SQLTerm
  ) throws {
    try binding(variable, to: term) { _ in }
    variables[variable.key] = term
    hasInlined = true
  }
}

extension PredicateExpressions.CapturedPredicate: PredicateNode {
  var operands: [any PredicateExpression] { [] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm { .captured(value) }
}

extension PredicateExpressions.CapturedExpression: PredicateNode {
  var operands: [any PredicateExpression] { [] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm { .captured(value) }
}
