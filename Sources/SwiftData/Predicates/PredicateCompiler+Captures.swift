import Foundation
import OpenSwiftDataSQLSyntax

extension PredicateCompiler {
  /// Whether no row has a part in the value of the node.
  func isCaptured(node: any PredicateNode) -> Bool {
    var waiting: [(any PredicateExpression, locals: Set<PredicateExpressions.VariableID>)]
    waiting = [(node, [])]
    while let (next, outer) = waiting.popLast() {
      var locals = outer
      guard let node = next as? any PredicateNode else { return false }
      if let variable = node.standsFor {
        if locals.contains(variable) { continue }
        guard case .captured? = variables[variable] else { return false }
        continue
      }
      if let bound = node.boundVariable { locals.insert(bound) }
      // The first operand is the next to be looked at: most often it leads to a row.
      for operand in node.operands.reversed() { waiting.append((operand, locals)) }
    }
    return true
  }

  /// The value of a node whose operands all turned out to be captured; `nil` where one of them came to
  /// that although a row has a part in it.
  mutating func evaluated(_ node: any PredicateNode) throws -> SQLTerm? {
    isCaptured(node: node) ? .captured(try evaluate(node)) : nil
  }

  mutating func evaluate<Node: PredicateExpression>(_ node: Node) throws -> Any {
    dependsOnValues = true
    return try node.evaluate(capturedVariables)
  }

  /// Binds a captured value as it is.
  mutating func bind(_ value: _StoredValue) -> SQLExpression {
    bindings.append(value)
    return .parameter(bindings.count - 1)
  }

  /// Binds what was made of captured values.
  mutating func bind(derived value: _StoredValue) -> SQLExpression {
    dependsOnValues = true
    return bind(value)
  }

  /// A captured value that is no `nil`, as a term; `nil` for one that is.
  mutating func scalar(captured value: Any) throws -> ScalarTerm? {
    guard let value = unwrap(value) else { return nil }
    let (stored, kind) = try storedForm(of: value)
    return ScalarTerm(value: bind(stored), kind: kind)
  }

  /// The value to bind for a captured one, and what it is.
  func storedForm(of value: Any) throws -> (_StoredValue, ScalarTerm.Kind) {
    try forms.form(of: value)
  }

  /// The value inside any number of optionals.
  func unwrap(_ value: Any) -> Any? { forms.unwrap(value) }
}
