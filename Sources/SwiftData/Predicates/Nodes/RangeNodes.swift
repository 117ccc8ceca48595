import Foundation
import OpenSwiftDataSQLSyntax

// `lower..<upper`, `lower...upper` and `contains` of a range.

/// A node that makes a range of two bounds.
protocol BoundsNode: PredicateNode {
  var includesUpper: Bool { get }
}

extension BoundsNode {
  /// A range is part of `contains`, which writes its bounds.
  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    throw Undescribed("a range as a value")
  }
}

extension PredicateExpressions.Range: BoundsNode {
  var includesUpper: Bool { false }
  var operands: [any PredicateExpression] { [lower, upper] }
  var form: SourceForm { .infix("..<") }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .range(
      lower: try compiler.term(lower), upper: try compiler.term(upper), includesUpper: false)
  }
}

extension PredicateExpressions.ClosedRange: BoundsNode {
  var includesUpper: Bool { true }
  var operands: [any PredicateExpression] { [lower, upper] }
  var form: SourceForm { .infix("...") }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .range(lower: try compiler.term(lower), upper: try compiler.term(upper), includesUpper: true)
  }
}

extension PredicateExpressions._CheckedRange: BoundsNode {
  var includesUpper: Bool { false }
  var operands: [any PredicateExpression] { [lower, upper] }
  var form: SourceForm { .infix("..<") }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let (lower, upper) = (try compiler.term(lower), try compiler.term(upper))
    compiler.demands.add(try compiler.ordering(lower, .lessOrEqual, upper))
    return .range(lower: lower, upper: upper, includesUpper: false)
  }
}

extension PredicateExpressions._CheckedClosedRange: BoundsNode {
  var includesUpper: Bool { true }
  var operands: [any PredicateExpression] { [lower, upper] }
  var form: SourceForm { .infix("...") }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let (lower, upper) = (try compiler.term(lower), try compiler.term(upper))
    compiler.demands.add(try compiler.ordering(lower, .lessOrEqual, upper))
    return .range(lower: lower, upper: upper, includesUpper: true)
  }
}

extension PredicateExpressions.RangeExpressionContains: PredicateNode {
  var operands: [any PredicateExpression] { [range, element] }
  var form: SourceForm { .method("contains") }

  var orderBounds: [OrderBound]? { [OrderBound(bound: range, other: element, isLower: true)] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    var bounds = try compiler.term(range)
    if case .captured(let value) = bounds {
      guard let captured = value as? any BoundedRange else {
        throw NotInSQL("a range without bounds")
      }
      bounds = .range(
        lower: captured.lowest.map { .captured($0) }, upper: captured.highest.map { .captured($0) },
        includesUpper: captured.includesHighest)
    }
    guard case .range(let lower, let upper, let includesUpper) = bounds else {
      throw NotInSQL("\(bounds.label) is not a range")
    }
    let value = try compiler.term(element)
    var conditions: [SQLExpression] = []
    if let lower { conditions.append(try compiler.ordering(value, .greaterOrEqual, lower)) }
    if let upper {
      conditions.append(
        try compiler.ordering(value, includesUpper ? .lessOrEqual : .less, upper))
    }
    return .boolean(.all(conditions))
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.membership(of: element, inRange: range)
  }
}

/// Standard library ranges, without their generic parameter.
protocol BoundedRange {
  /// The lower bound, which is included; `nil` if there is none.
  var lowest: Any? { get }
  /// The upper bound; `nil` if there is none.
  var highest: Any? { get }
  var includesHighest: Bool { get }
}

extension Swift.Range: BoundedRange {
  var lowest: Any? { lowerBound }
  var highest: Any? { upperBound }
  var includesHighest: Bool { false }
}

extension Swift.ClosedRange: BoundedRange {
  var lowest: Any? { lowerBound }
  var highest: Any? { upperBound }
  var includesHighest: Bool { true }
}

extension PartialRangeFrom: BoundedRange {
  var lowest: Any? { lowerBound }
  var highest: Any? { nil }
  var includesHighest: Bool { false }
}

extension PartialRangeUpTo: BoundedRange {
  var lowest: Any? { nil }
  var highest: Any? { upperBound }
  var includesHighest: Bool { false }
}

extension PartialRangeThrough: BoundedRange {
  var lowest: Any? { nil }
  var highest: Any? { upperBound }
  var includesHighest: Bool { true }
}
