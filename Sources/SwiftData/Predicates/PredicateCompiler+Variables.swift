import Foundation
import OpenSwiftDataSQLSyntax

extension PredicateExpressions.Variable: PredicateNode {
  var operands: [any PredicateExpression] { [] }
  var referencedVariable: PredicateExpressions.VariableID? { key }
  var findsCaptures: Bool { true }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    guard let term = compiler.variables[key] else { throw NotInSQL("an unbound variable") }
    return term.isCaptured ? .captured(try compiler.evaluate(self)) : term
  }
}

extension PredicateExpressions.Value: PredicateNode {
  var operands: [any PredicateExpression] { [] }
  var capturedValue: Any? { value }
  var findsCaptures: Bool { true }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .captured(value)
  }
}

extension PredicateExpressions.CapturedAttempt: PredicateNode {
  var operands: [any PredicateExpression] { [] }
  var findsCaptures: Bool { true }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    guard let value else { throw PredicateFailure.missingValue }
    return .captured(value)
  }
}

extension PredicateExpressions.NilLiteral: PredicateNode {
  var operands: [any PredicateExpression] { [] }
  var findsCaptures: Bool { true }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .captured(Wrapped?.none as Any)
  }
}

/// The terms of the predicate's variables.
struct VariableTerms {
  /// The variable of the outermost closure. Most predicates have no other, so it needs no
  /// dictionary.
  private var outermost: (variable: PredicateExpressions.VariableID, term: SQLTerm)?
  private var inner: [PredicateExpressions.VariableID: SQLTerm] = [:]

  init() {}

  init(_ variable: PredicateExpressions.VariableID, _ term: SQLTerm) {
    outermost = (variable, term)
  }

  subscript(variable: PredicateExpressions.VariableID) -> SQLTerm? {
    get {
      if !inner.isEmpty, let term = inner[variable] { return term }
      guard let outermost, outermost.variable == variable else { return nil }
      return outermost.term
    }
    set { inner[variable] = newValue }
  }

  /// - Returns: The previous term of the variable.
  mutating func updateValue(
    _ term: SQLTerm, forKey variable: PredicateExpressions.VariableID
  ) -> SQLTerm? {
    let before = self[variable]
    inner[variable] = term
    return before
  }
}

extension PredicateCompiler {
  /// Assigns a term to a variable while `body` runs.
  mutating func binding<Value, Result>(
    _ variable: PredicateExpressions.Variable<Value>, to term: SQLTerm,
    _ body: (inout PredicateCompiler) throws -> Result
  ) throws -> Result {
    if case .captured(let value) = term {
      let inner = value as? Value ?? unwrap(value) as? Value
      guard let inner else { throw NotInSQL("a captured value of another type") }
      capturedVariables[variable] = inner
    }
    let outer = variables.updateValue(term, forKey: variable.key)
    defer { variables[variable.key] = outer }
    return try body(&self)
  }
}
