import Foundation
import OpenSwiftDataSQLSyntax

// The leaves of a predicate: its variables, captured values and `nil`.

extension PredicateExpressions.Variable: PredicateNode {
  var operands: [any PredicateExpression] { [] }
  var referencedVariable: PredicateExpressions.VariableID? { key }
  var findsCaptures: Bool { true }
  var form: SourceForm { .operand }

  func describe(to shape: inout ShapeCollector) { shape.add(variable: key) }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    guard let term = compiler.variables[key] else { throw NotInSQL("an unbound variable") }
    return term.isCaptured ? .captured(try compiler.evaluate(self)) : term
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.variable(key)
  }
}

extension PredicateExpressions.Value: PredicateNode {
  var operands: [any PredicateExpression] { [] }
  var capturedValue: Any? { value }
  var findsCaptures: Bool { true }
  var form: SourceForm { .literal("<\(Output.self)>") }

  func describe(to shape: inout ShapeCollector) { shape.add(value: value) }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .captured(value)
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.constant(value as Any)
  }
}

extension PredicateExpressions._CapturedAttempt: PredicateNode {
  var operands: [any PredicateExpression] { [] }
  var heldValue: Any? { value }
  var findsCaptures: Bool { true }
  var form: SourceForm { .literal("<\(Output.self)>") }

  func describe(to shape: inout ShapeCollector) {
    if let value { shape.add(value: value) } else { shape.addFailure() }
  }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    guard let value else { throw PredicateFailure.missingValue }
    return .captured(value)
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.constant(of: self)
  }
}

/// `nil` as it is written in a predicate.
protocol NilNode {}

extension PredicateExpressions.NilLiteral: NilNode {}

extension PredicateExpressions.NilLiteral: PredicateNode {
  var operands: [any PredicateExpression] { [] }
  var findsCaptures: Bool { true }
  var form: SourceForm { .literal("nil") }

  func describe(to shape: inout ShapeCollector) {}

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .captured(Wrapped?.none as Any)
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    .value(.null)
  }
}
