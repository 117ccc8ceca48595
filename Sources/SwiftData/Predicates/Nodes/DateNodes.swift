import Foundation
import OpenSwiftDataSQLSyntax

// Arithmetic with dates. The properties of a date are in `ScalarTerm`.

extension PredicateExpressions._DateOffset: PredicateNode {
  var operands: [any PredicateExpression] { [date, seconds] }
  var form: SourceForm { .infix(isBackward ? "-" : "+") }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    try compiler.database.requireOverflowMarks()
    let (first, second) = (try compiler.term(date), try compiler.term(seconds))
    guard let start = try compiler.optionalScalar(first), start.kind == .scalar(.date),
      let offset = try compiler.optionalScalar(second), offset.kind == .scalar(.double)
    else { throw NotInSQL("an offset of a value that is not a date") }
    let sign: SQLBinaryOperator = isBackward ? .subtract : .add
    var result = ScalarTerm(of: start, offset, .scalar(.date)) { .binary($0, sign, $1) }
    result.mayBeNaN = true
    return .scalar(result)
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.call(isBackward ? .dateSubtracting : .dateAdding, date, seconds)
  }
}

extension PredicateExpressions._DateDistance: PredicateNode {
  var operands: [any PredicateExpression] { [from, to] }
  var form: SourceForm { .method("distance", label: "to") }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    try compiler.database.requireOverflowMarks()
    let (first, second) = (try compiler.term(from), try compiler.term(to))
    guard let start = try compiler.optionalScalar(first), start.kind == .scalar(.date),
      let end = try compiler.optionalScalar(second), end.kind == .scalar(.date)
    else { throw NotInSQL("a distance between values that are not dates") }
    var result = ScalarTerm(of: start, end, .scalar(.double)) { .binary($1, .subtract, $0) }
    result.mayBeNaN = true
    return .scalar(result)
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.call(.secondsBetween, from, to)
  }
}
