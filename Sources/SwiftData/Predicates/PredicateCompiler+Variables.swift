import Foundation
import SQLSyntax

extension PredicateExpressions.Variable: PredicateNode {
  var operands: [any PredicateExpression] { [] }
  var standsFor: PredicateExpressions.VariableID? { key }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    guard let term = compiler.variables[key] else { throw NotInSQL("an unbound variable") }
    return term
  }
}

extension PredicateExpressions.Value: PredicateNode {
  var operands: [any PredicateExpression] { [] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .captured(value)
  }
}

extension PredicateExpressions.NilLiteral: PredicateNode {
  var operands: [any PredicateExpression] { [] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .captured(Wrapped?.none as Any)
  }
}

extension PredicateCompiler {
  /// Gives a variable a meaning while `body` runs.
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
