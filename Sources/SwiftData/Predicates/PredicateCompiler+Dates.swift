import Foundation
import OpenSwiftDataSQLSyntax

extension PredicateExpressions.DateOffset: PredicateNode {
  var operands: [any PredicateExpression] { [date, seconds] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    try compiler.requireOverflowMarks()
    let (first, second) = (try compiler.term(date), try compiler.term(seconds))
    guard let start = try compiler.optionalScalar(first), start.kind == .scalar(.date),
      let offset = try compiler.optionalScalar(second), offset.kind == .scalar(.double)
    else { throw NotInSQL("an offset of what is no date") }
    let sign: SQLBinaryOperator = isBackward ? .subtract : .add
    var result = compiler.combined(start, offset, .scalar(.date)) { .binary($0, sign, $1) }
    result.mayBeNaN = true
    return .scalar(result)
  }
}

extension PredicateExpressions.DateDistance: PredicateNode {
  var operands: [any PredicateExpression] { [from, to] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    try compiler.requireOverflowMarks()
    let (first, second) = (try compiler.term(from), try compiler.term(to))
    guard let start = try compiler.optionalScalar(first), start.kind == .scalar(.date),
      let end = try compiler.optionalScalar(second), end.kind == .scalar(.date)
    else { throw NotInSQL("a distance of what are no dates") }
    var result = compiler.combined(start, end, .scalar(.double)) { .binary($1, .subtract, $0) }
    result.mayBeNaN = true
    return .scalar(result)
  }
}

extension PredicateCompiler {
  /// The date as a number of seconds; `nil` for other properties of dates.
  func seconds(_ keyPath: AnyKeyPath, of date: ScalarTerm) -> ScalarTerm? {
    var result = date
    result.kind = .scalar(.double)
    switch keyPath {
    case \Date.timeIntervalSinceReferenceDate: return result
    case \Date.timeIntervalSince1970:
      let offset = Int64(Date.timeIntervalBetween1970AndReferenceDate)
      result.value = .binary(date.value, .add, .integer(offset))
      return result
    default: return nil
    }
  }
}
