import Foundation

// Describes everything in a node, except its type, on which its SQL depends. A node without an
// extension here has no shape, so requests that contain it are compiled each time.

extension PredicateExpressions.Variable {
  func describe(to shape: inout ShapeCollector) { shape.add(variable: key) }
}

extension PredicateExpressions.Value {
  func describe(to shape: inout ShapeCollector) { shape.add(value: value) }
}

extension PredicateExpressions.CapturedAttempt {
  func describe(to shape: inout ShapeCollector) {
    if let value { shape.add(value: value) } else { shape.addFailure() }
  }
}

extension PredicateExpressions.NilLiteral {
  func describe(to shape: inout ShapeCollector) {}
}

extension PredicateExpressions.KeyPath {
  func describe(to shape: inout ShapeCollector) {
    shape.add(root)
    shape.add(keyPath)
  }
}

extension PredicateExpressions.Equal {
  func describe(to shape: inout ShapeCollector) {
    shape.add(lhs)
    shape.add(rhs)
  }
}

extension PredicateExpressions.NotEqual {
  func describe(to shape: inout ShapeCollector) {
    shape.add(lhs)
    shape.add(rhs)
  }
}

extension PredicateExpressions.Comparison {
  func describe(to shape: inout ShapeCollector) {
    switch op {
    case .lessThan: shape.add(choice: 0)
    case .lessThanOrEqual: shape.add(choice: 1)
    case .greaterThan: shape.add(choice: 2)
    case .greaterThanOrEqual: shape.add(choice: 3)
    @unknown default: shape.giveUp()
    }
    shape.add(lhs)
    shape.add(rhs)
  }
}

extension PredicateExpressions.Conjunction {
  func describe(to shape: inout ShapeCollector) {
    for operand in operands { shape.add(operand) }
  }
}

extension PredicateExpressions.Disjunction {
  func describe(to shape: inout ShapeCollector) {
    for operand in operands { shape.add(operand) }
  }
}

extension PredicateExpressions.Negation {
  func describe(to shape: inout ShapeCollector) { shape.add(wrapped) }
}

extension PredicateExpressions.FalseOnFailure {
  func describe(to shape: inout ShapeCollector) { shape.add(wrapped) }
}

extension PredicateExpressions.ForcedUnwrap {
  func describe(to shape: inout ShapeCollector) { shape.add(inner) }
}

extension PredicateExpressions.NilCoalesce {
  func describe(to shape: inout ShapeCollector) {
    shape.add(lhs)
    shape.add(rhs)
  }
}

extension PredicateExpressions.OptionalFlatMap {
  func describe(to shape: inout ShapeCollector) {
    shape.add(wrapped)
    shape.add(variable: variable.key)
    shape.add(transform)
  }
}

extension PredicateExpressions.Conditional {
  func describe(to shape: inout ShapeCollector) {
    shape.add(test)
    shape.add(trueBranch)
    shape.add(falseBranch)
  }
}

extension PredicateExpressions.TypeCheck {
  func describe(to shape: inout ShapeCollector) { shape.add(input) }
}

extension PredicateExpressions.ConditionalCast {
  func describe(to shape: inout ShapeCollector) { shape.add(input) }
}

extension PredicateExpressions.ForceCast {
  func describe(to shape: inout ShapeCollector) { shape.add(input) }
}

extension PredicateExpressions.SequenceContainsWhere {
  func describe(to shape: inout ShapeCollector) {
    shape.add(sequence)
    shape.add(variable: variable.key)
    shape.add(test)
  }
}

extension PredicateExpressions.SequenceAllSatisfy {
  func describe(to shape: inout ShapeCollector) {
    shape.add(sequence)
    shape.add(variable: variable.key)
    shape.add(test)
  }
}

extension PredicateExpressions.Filter {
  func describe(to shape: inout ShapeCollector) {
    shape.add(sequence)
    shape.add(variable: variable.key)
    shape.add(filter)
  }
}

extension PredicateExpressions.SequenceContains {
  func describe(to shape: inout ShapeCollector) {
    shape.add(sequence)
    shape.add(element)
  }
}

extension PredicateExpressions.CollectionContainsCollection {
  func describe(to shape: inout ShapeCollector) {
    shape.add(base)
    shape.add(other)
  }
}

extension TextNode {
  func describe(to shape: inout ShapeCollector) {
    shape.add(texts.0)
    shape.add(texts.1)
  }
}

extension PredicateExpressions.StringLowercased {
  func describe(to shape: inout ShapeCollector) { shape.add(root) }
}

extension PredicateExpressions.StringUppercased {
  func describe(to shape: inout ShapeCollector) { shape.add(root) }
}
