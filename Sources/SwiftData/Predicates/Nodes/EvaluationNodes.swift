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
    guard let inner = try opened(in: &compiler) else {
      throw NotInSQL("a predicate that depends on the row")
    }
    return try compiler.term(inner)
  }

  func opened(in compiler: inout PredicateCompiler) throws -> (any PredicateExpression)? {
    guard case .captured(let value) = try compiler.term(predicate),
      let inner = value as? Predicate<repeat (each Input).Output>
    else { return nil }
    for (variable, input) in repeat (each inner.variable, each input) {
      try compiler.variables.assign(variable, compiler.term(input))
    }
    return inner.expression
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    let inner = try writer.captured(predicate)
    var inputs = QueryWriter.Inputs()
    for (variable, input) in repeat (each inner.variable, each input) {
      try writer.bind(variable, to: input, &inputs)
    }
    return try writer.inlined(inner.expression, inputs)
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
    for (variable, input) in repeat (each inner.variable, each input) {
      try compiler.variables.assign(variable, compiler.term(input))
    }
    return try compiler.term(inner.expression)
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    let inner = try writer.captured(expression)
    var inputs = QueryWriter.Inputs()
    for (variable, input) in repeat (each inner.variable, each input) {
      try writer.bind(variable, to: input, &inputs)
    }
    return try writer.inlined(inner.expression, inputs)
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
