import Foundation
import OpenSwiftDataSQLSyntax

// Predicates and expressions that a predicate evaluates. They are inlined into it.

extension PredicateExpressions.PredicateEvaluate: PredicateNode {
  var operands: [any PredicateExpression] {
    var operands: [any PredicateExpression] = [predicate]
    for input in repeat each input { operands.append(input) }
    return operands
  }

  var form: SourceForm { .method("evaluate") }

  var evaluatedExpression: EvaluatedExpression? {
    guard let inner = try? predicate.evaluate(PredicateBindings()) else { return nil }
    var inputs: [(variable: PredicateExpressions.VariableID, input: any PredicateExpression)] = []
    for (variable, input) in repeat (each inner.variable, each input) {
      inputs.append((variable.key, input))
    }
    return EvaluatedExpression(expression: inner.expression, inputs: inputs)
  }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    guard let inner = try captured(in: &compiler) else {
      throw NotInSQL("a predicate that depends on the row")
    }
    return try compiler.inlined(
      inner.expression, with: repeat each inner.variable, from: repeat each input)
  }

  func opened(in compiler: inout PredicateCompiler) throws -> (any PredicateExpression)? {
    guard let inner = try captured(in: &compiler) else { return nil }
    try compiler.assign(repeat each inner.variable, from: repeat each input)
    return inner.expression
  }

  private func captured(
    in compiler: inout PredicateCompiler
  ) throws -> Predicate<repeat (each Input).Output>? {
    guard case .captured(let value) = try compiler.term(predicate) else { return nil }
    return value as? Predicate<repeat (each Input).Output>
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    let inner = try writer.captured(predicate)
    return try writer.inlined(
      inner.expression, with: repeat each inner.variable, from: repeat each input)
  }
}

extension PredicateExpressions.ExpressionEvaluate: PredicateNode {
  var operands: [any PredicateExpression] {
    var operands: [any PredicateExpression] = [expression]
    for input in repeat each input { operands.append(input) }
    return operands
  }

  var form: SourceForm { .method("evaluate") }

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
    else { throw NotInSQL("an expression that depends on the row") }
    return try compiler.inlined(
      inner.expression, with: repeat each inner.variable, from: repeat each input)
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    let inner = try writer.captured(expression)
    return try writer.inlined(
      inner.expression, with: repeat each inner.variable, from: repeat each input)
  }
}

extension PredicateCompiler {
  /// Compiles the expression of an inlined predicate.
  fileprivate mutating func inlined<each Input: PredicateExpression>(
    _ body: any PredicateExpression,
    with parameters: repeat PredicateExpressions.Variable<(each Input).Output>,
    from inputs: repeat each Input
  ) throws -> SQLTerm {
    let outer = variables
    defer { variables = outer }
    try assign(repeat each parameters, from: repeat each inputs)
    return try term(body)
  }

  /// Gives the variables of an inlined predicate the terms of its inputs. An input may evaluate the
  /// same predicate, so all of them are compiled before the first assignment.
  fileprivate mutating func assign<each Input: PredicateExpression>(
    _ parameters: repeat PredicateExpressions.Variable<(each Input).Output>,
    from inputs: repeat each Input
  ) throws {
    var terms: [SQLTerm] = []
    for input in repeat each inputs { terms.append(try term(input)) }
    var index = 0
    for parameter in repeat each parameters {
      try variables.assign(parameter, terms[index])
      index += 1
    }
  }
}

extension PredicateExpressions._CapturedPredicate: PredicateNode {
  var operands: [any PredicateExpression] { [] }
  var form: SourceForm { .literal("predicate") }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm { .captured(value) }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    throw Undescribed("a predicate as a value")
  }
}

extension PredicateExpressions._CapturedExpression: PredicateNode {
  var operands: [any PredicateExpression] { [] }
  var form: SourceForm { .literal("expression") }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm { .captured(value) }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    throw Undescribed("an expression as a value")
  }
}
