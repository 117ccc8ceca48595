import Foundation
import OpenSwiftDataSQLSyntax

// `==`, `!=`, `<`, `<=`, `>` and `>=`.

/// A node that compares two values.
protocol ComparisonNode: PredicateNode {
  associatedtype LHS: PredicateExpression
  associatedtype RHS: PredicateExpression
  var lhs: LHS { get }
  var rhs: RHS { get }
  func condition(
    _ left: SQLTerm, _ right: SQLTerm, in compiler: inout PredicateCompiler
  ) throws -> SQLExpression
}

extension ComparisonNode {
  var operands: [any PredicateExpression] { [lhs, rhs] }
  var findsCaptures: Bool { true }

  func describe(to shape: inout ShapeCollector) {
    shape.add(lhs)
    shape.add(rhs)
  }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let (left, right) = (try compiler.term(lhs), try compiler.term(rhs))
    if left.isCaptured, right.isCaptured, let value = try compiler.evaluated(self) { return value }
    return .boolean(try condition(left, right, in: &compiler))
  }
}

extension PredicateExpressions.Equal: ComparisonNode {
  var form: SourceForm { .infix("==") }
  var isEquality: Bool { true }

  func condition(
    _ left: SQLTerm, _ right: SQLTerm, in compiler: inout PredicateCompiler
  ) throws -> SQLExpression {
    try compiler.equality(left, right, of: LHS.Output.self)
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.equality(.equal, lhs, rhs)
  }
}

extension PredicateExpressions.NotEqual: ComparisonNode {
  var form: SourceForm { .infix("!=") }

  func condition(
    _ left: SQLTerm, _ right: SQLTerm, in compiler: inout PredicateCompiler
  ) throws -> SQLExpression {
    try compiler.equality(left, right, of: LHS.Output.self).negated
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.equality(.notEqual, lhs, rhs)
  }
}

extension PredicateExpressions.Comparison: ComparisonNode {
  var form: SourceForm { .infix(sign?.rawValue ?? "<?>") }

  var orderBounds: [OrderBound]? {
    switch op {
    case .greaterThan, .greaterThanOrEqual:
      [
        OrderBound(bound: rhs, other: lhs, isLower: true),
        OrderBound(bound: lhs, other: rhs, isLower: false),
      ]
    case .lessThan, .lessThanOrEqual:
      [
        OrderBound(bound: rhs, other: lhs, isLower: false),
        OrderBound(bound: lhs, other: rhs, isLower: true),
      ]
    @unknown default: []
    }
  }

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

  func condition(
    _ left: SQLTerm, _ right: SQLTerm, in compiler: inout PredicateCompiler
  ) throws -> SQLExpression {
    guard let sign else { throw NotInSQL("an unknown comparison") }
    return try compiler.ordering(left, sign, right)
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    switch op {
    case .lessThan: try writer.ordering(.less, lhs, rhs)
    case .lessThanOrEqual: try writer.ordering(.lessOrEqual, lhs, rhs)
    case .greaterThan: try writer.ordering(.greater, lhs, rhs)
    case .greaterThanOrEqual: try writer.ordering(.greaterOrEqual, lhs, rhs)
    @unknown default: throw Undescribed("an unknown comparison")
    }
  }

  /// The operator, which SQL writes as Swift does; `nil` for an operator of a later Foundation.
  private var sign: SQLBinaryOperator? {
    switch op {
    case .lessThan: .less
    case .lessThanOrEqual: .lessOrEqual
    case .greaterThan: .greater
    case .greaterThanOrEqual: .greaterOrEqual
    @unknown default: nil
    }
  }
}
