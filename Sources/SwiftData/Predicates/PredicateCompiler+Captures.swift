import Foundation
import OpenSwiftDataSQLSyntax

extension PredicateCompiler {
  /// Whether the value of the node does not depend on a row.
  func isCaptured(node: any PredicateNode) -> Bool {
    var waiting: [(any PredicateExpression, locals: Set<PredicateExpressions.VariableID>)]
    waiting = [(node, [])]
    while let (next, outer) = waiting.popLast() {
      var locals = outer
      guard let node = next as? any PredicateNode else { return false }
      if let variable = node.referencedVariable {
        if locals.contains(variable) { continue }
        guard case .captured? = variables[variable] else { return false }
        continue
      }
      if let bound = node.boundVariable { locals.insert(bound) }
      // The first operand is examined next, because it most often leads to a row.
      for operand in node.operands.reversed() { waiting.append((operand, locals)) }
    }
    return true
  }

  /// The value of a node whose operands all compiled to captured values; `nil` if one of them
  /// depends on a row nevertheless.
  mutating func evaluated(_ node: any PredicateNode) throws -> SQLTerm? {
    isCaptured(node: node) ? .captured(try evaluate(node)) : nil
  }

  mutating func evaluate<Node: PredicateExpression>(_ node: Node) throws -> Any {
    dependsOnValues = true
    return try node.evaluate(capturedVariables)
  }

  /// Binds a captured value unchanged.
  mutating func bind(_ value: _StoredValue) -> SQLExpression {
    bindings.append(value)
    return .parameter(bindings.count - 1)
  }

  /// Binds a value that was derived from captured values.
  mutating func bind(derived value: _StoredValue) -> SQLExpression {
    dependsOnValues = true
    return bind(value)
  }

  /// A captured value as a term; `nil` for a captured `nil`.
  mutating func scalar(captured value: Any) throws -> ScalarTerm? {
    guard let value = unwrap(value) else { return nil }
    let (stored, kind) = try storedForm(of: value)
    return ScalarTerm(value: bind(stored), kind: kind)
  }

  /// The value to bind for a captured value, and its kind.
  func storedForm(of value: Any) throws -> (_StoredValue, ScalarTerm.Kind) {
    try forms.form(of: value)
  }

  /// Removes all levels of `Optional` from a value.
  func unwrap(_ value: Any) -> Any? { forms.unwrap(value) }
}
