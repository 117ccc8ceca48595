import Foundation
import OpenSwiftDataSQLSyntax

/// Evaluates the expressions that do not depend on a row, and binds captured values.
extension PredicateCompiler {
  /// Whether the value of the node does not depend on a row.
  func isCaptured(node: any PredicateNode) -> Bool {
    node.isCaptured { variable in
      if case .captured? = variables[variable] { true } else { false }
    }
  }

  /// The value of a node whose operands all compiled to captured values; `nil` if one of them
  /// depends on a row nevertheless.
  mutating func evaluated(_ node: any PredicateNode) throws -> SQLTerm? {
    isCaptured(node: node) ? .captured(try evaluate(node)) : nil
  }

  mutating func evaluate<Node: PredicateExpression>(_ node: Node) throws -> Any {
    bindings.dependOnValues()
    return try node.evaluate(variables.captured)
  }

  /// A captured value as a term; `nil` for a captured `nil`.
  mutating func scalar(captured value: Any) throws -> ScalarTerm? {
    guard let value = StoredForms.unwrap(value) else { return nil }
    let (stored, kind) = try forms.form(of: value)
    return ScalarTerm(
      value: bindings.bind(stored, as: kind), kind: kind, valueType: type(of: value))
  }

  /// The scalar of a term; `nil` for a captured `nil`.
  mutating func optionalScalar(_ term: SQLTerm) throws -> ScalarTerm? {
    switch term {
    case .scalar(let scalar): return scalar
    case .captured(let value): return try scalar(captured: value)
    default: throw NotInSQL("\(term.label) is not a value")
    }
  }

  /// The elements of a captured collection.
  mutating func elements(of value: Any) -> [Any]? {
    bindings.dependOnValues()
    guard let collection = StoredForms.unwrap(value) as? any Collection else { return nil }
    return collection.map { $0 as Any }
  }
}

extension PredicateNode {
  /// Whether the value of the node does not depend on a row.
  /// - Parameter isCaptured: Whether a variable stands for a captured value.
  func isCaptured(_ isCaptured: (PredicateExpressions.VariableID) -> Bool) -> Bool {
    var waiting: [(any PredicateExpression, locals: Set<PredicateExpressions.VariableID>)]
    waiting = [(self, [])]
    while let (next, outer) = waiting.popLast() {
      var locals = outer
      guard let node = next as? any PredicateNode else { return false }
      if let variable = node.referencedVariable {
        if locals.contains(variable) { continue }
        guard isCaptured(variable) else { return false }
        continue
      }
      if let bound = node.boundVariable { locals.insert(bound) }
      // The first operand is examined next, because it most often leads to a row.
      for operand in node.operands.reversed() { waiting.append((operand, locals)) }
    }
    return true
  }
}
