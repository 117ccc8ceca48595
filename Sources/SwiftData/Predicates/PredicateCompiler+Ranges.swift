import Foundation
import OpenSwiftDataSQLSyntax

extension PredicateExpressions.Range: PredicateNode {
  var operands: [any PredicateExpression] { [lower, upper] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .range(
      lower: try compiler.term(lower), upper: try compiler.term(upper), includesUpper: false)
  }
}

extension PredicateExpressions.ClosedRange: PredicateNode {
  var operands: [any PredicateExpression] { [lower, upper] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .range(lower: try compiler.term(lower), upper: try compiler.term(upper), includesUpper: true)
  }
}

extension PredicateExpressions.CheckedRange: PredicateNode {
  var operands: [any PredicateExpression] { [lower, upper] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let (lower, upper) = (try compiler.term(lower), try compiler.term(upper))
    compiler.demand(try compiler.ordering(lower, .lessOrEqual, upper))
    return .range(lower: lower, upper: upper, includesUpper: false)
  }
}

extension PredicateExpressions.CheckedClosedRange: PredicateNode {
  var operands: [any PredicateExpression] { [lower, upper] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let (lower, upper) = (try compiler.term(lower), try compiler.term(upper))
    compiler.demand(try compiler.ordering(lower, .lessOrEqual, upper))
    return .range(lower: lower, upper: upper, includesUpper: true)
  }
}

extension PredicateExpressions.RangeExpressionContains: PredicateNode {
  var operands: [any PredicateExpression] { [range, element] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    var bounds = try compiler.term(range)
    if case .captured(let value) = bounds {
      guard let captured = value as? any BoundedRange else {
        throw NotInSQL("a range without bounds")
      }
      bounds = captured.term
    }
    guard case .range(let lower, let upper, let includesUpper) = bounds else {
      throw NotInSQL("\(bounds.label) is no range")
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
}

/// Standard library ranges, without their generic parameter.
private protocol BoundedRange {
  var term: SQLTerm { get }
}

extension Swift.Range: BoundedRange {
  fileprivate var term: SQLTerm {
    .range(lower: .captured(lowerBound), upper: .captured(upperBound), includesUpper: false)
  }
}

extension Swift.ClosedRange: BoundedRange {
  fileprivate var term: SQLTerm {
    .range(lower: .captured(lowerBound), upper: .captured(upperBound), includesUpper: true)
  }
}

extension PartialRangeFrom: BoundedRange {
  fileprivate var term: SQLTerm {
    .range(lower: .captured(lowerBound), upper: nil, includesUpper: false)
  }
}

extension PartialRangeUpTo: BoundedRange {
  fileprivate var term: SQLTerm {
    .range(lower: nil, upper: .captured(upperBound), includesUpper: false)
  }
}

extension PartialRangeThrough: BoundedRange {
  fileprivate var term: SQLTerm {
    .range(lower: nil, upper: .captured(upperBound), includesUpper: true)
  }
}
