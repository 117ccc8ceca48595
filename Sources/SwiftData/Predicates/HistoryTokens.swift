import Foundation

/// Finds the tokens after which a predicate selects transactions.
///
/// Walks the nodes together with the results that each must have for a transaction to match:
/// `!($0.token <= token)` selects transactions after the token, as `$0.token > token` does. If the
/// required result is not known, both count.
package enum HistoryTokens {
  package static func starts(
    in predicate: Predicate<DefaultHistoryTransaction>
  ) -> [DefaultHistoryToken] {
    var walk = Walk()
    walk.visit(predicate.expression)
    return walk.starts
  }
}

/// The results that a condition must have.
private struct Answers {
  var yes: Bool
  var no: Bool

  var negated: Answers { Answers(yes: no, no: yes) }
  static let onlyYes = Answers(yes: true, no: false)
  static let both = Answers(yes: true, no: true)
}

private struct Walk {
  private(set) var starts: [DefaultHistoryToken] = []
  /// The captured tokens that a variable refers to.
  private var variables: [PredicateExpressions.VariableID: [DefaultHistoryToken]] = [:]

  /// Chains may have thousands of parts, so this does not recurse.
  mutating func visit(_ expression: any PredicateExpression) {
    var waiting: [(any PredicateExpression, Answers)] = [(expression, .onlyYes)]
    while let (expression, wanted) = waiting.popLast() {
      guard let node = expression as? any PredicateNode else { continue }
      if let bounds = node.orderBounds {
        note(bounds, wanted)
        continue
      }
      if let asked = node.evaluatedExpression {
        for (variable, input) in asked.inputs {
          variables[variable, default: []] += tokens(of: input)
        }
        waiting.append((asked.expression, wanted))
        continue
      }
      if let bound = node.boundVariable, let source = node.operands.first {
        variables[bound, default: []] += tokens(of: source)
      }
      waiting += wantedOperands(of: node, wanted)
    }
  }

  /// The operands on which the result depends, with the results that they must have.
  private func wantedOperands(
    of node: any PredicateNode, _ wanted: Answers
  ) -> [(any PredicateExpression, Answers)] {
    if node.isConjunction || node.isDisjunction {
      let parts = node.chainedParts
      // A captured flag may decide alone: `isFirst || $0.token > token`.
      let isDecided = parts.contains { value(of: $0) as? Bool == node.isDisjunction }
      return isDecided ? [] : parts.map { ($0, wanted) }
    }
    let operands = node.operands
    switch node.form {
    case .conditional where operands.count == 3:
      if let flag = value(of: operands[0]) as? Bool { return [(operands[flag ? 1 : 2], wanted)] }
      return [(operands[0], .both), (operands[1], wanted), (operands[2], wanted)]
    case .prefix("!"): return operands.map { ($0, wanted.negated) }
    case .closure, .operand, .infix("??"), .suffix("!"): return operands.map { ($0, wanted) }
    default: return operands.map { ($0, .both) }
    }
  }

  private mutating func note(_ bounds: [OrderBound], _ wanted: Answers) {
    for bound in bounds where bound.isLower ? wanted.yes : wanted.no {
      // If both sides are captured, the comparison does not depend on the transaction.
      guard !isCaptured(bound.other) else { continue }
      starts += tokens(of: bound.bound)
    }
  }

  private func isCaptured(_ expression: any PredicateExpression) -> Bool {
    guard let node = expression as? any PredicateNode else { return false }
    if let variable = node.referencedVariable { return variables[variable]?.isEmpty == false }
    return value(of: expression) != nil
  }

  /// The captured tokens in the value of an expression: a token, or a collection of them.
  private func tokens(of expression: any PredicateExpression) -> [DefaultHistoryToken] {
    if let variable = (expression as? any PredicateNode)?.referencedVariable {
      return variables[variable] ?? []
    }
    return value(of: expression).map { tokens(in: $0) } ?? []
  }

  private func tokens(in value: Any) -> [DefaultHistoryToken] {
    if let token = value as? DefaultHistoryToken { return [token] }
    if let optional = value as? any OptionalValue {
      return optional.unwrappedValue.map { tokens(in: $0) } ?? []
    }
    if let range = value as? any BoundedRange {
      return (range.lowest as? DefaultHistoryToken).map { [$0] } ?? []
    }
    if let collection = value as? any Collection<DefaultHistoryToken> { return Array(collection) }
    if let collection = value as? any Collection<DefaultHistoryToken?> {
      return collection.compactMap(\.self)
    }
    return []
  }

  /// The value of an expression that does not depend on the transaction.
  private func value(of expression: any PredicateExpression) -> Any? {
    if let value = (expression as? any PredicateNode)?.capturedValue { return value }
    func evaluate<E: PredicateExpression>(_ expression: E) -> Any? {
      try? expression.evaluate(PredicateBindings())
    }
    return evaluate(expression)
  }
}

extension PredicateNode {
  /// The parts of a chain of `&&` or of `||`.
  fileprivate var chainedParts: [any PredicateExpression] {
    var parts: [any PredicateExpression] = []
    var waiting: [any PredicateExpression] = [self]
    while let next = waiting.popLast() {
      if let node = next as? any PredicateNode,
        isConjunction ? node.isConjunction : node.isDisjunction
      {
        waiting += node.operands.reversed()
      } else {
        parts.append(next)
      }
    }
    return parts
  }
}
