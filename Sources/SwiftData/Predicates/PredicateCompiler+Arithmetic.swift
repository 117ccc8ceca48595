import Foundation
import OpenSwiftDataSQLSyntax

extension PredicateExpressions.Arithmetic: PredicateNode {
  var operands: [any PredicateExpression] { [lhs, rhs] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let sign: SQLBinaryOperator =
      switch op {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      @unknown default: throw NotInSQL("an unknown operation")
      }
    return .scalar(try compiler.arithmetic(lhs, sign, rhs))
  }
}

extension PredicateExpressions.CheckedArithmetic: PredicateNode {
  var operands: [any PredicateExpression] { [lhs, rhs] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let sign: SQLBinaryOperator =
      switch operation {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      case .divide: .divide
      case .remainder: .remainder
      }
    return .scalar(try compiler.arithmetic(lhs, sign, rhs))
  }
}

extension PredicateExpressions.FloatDivision: PredicateNode {
  var operands: [any PredicateExpression] { [lhs, rhs] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .scalar(try compiler.arithmetic(lhs, .divide, rhs))
  }
}

extension PredicateExpressions.IntDivision: PredicateNode {
  var operands: [any PredicateExpression] { [lhs, rhs] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .scalar(try compiler.arithmetic(lhs, .divide, rhs))
  }
}

extension PredicateExpressions.IntRemainder: PredicateNode {
  var operands: [any PredicateExpression] { [lhs, rhs] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .scalar(try compiler.arithmetic(lhs, .remainder, rhs))
  }
}

extension PredicateExpressions.UnaryMinus: PredicateNode {
  var operands: [any PredicateExpression] { [wrapped] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    try compiler.requireOverflowMarks()
    guard let value = try compiler.optionalScalar(compiler.term(wrapped)),
      value.scalarType?.computesInSQL == true
    else { throw NotInSQL("a negative of another kind") }
    if value.scalarType == .decimal {
      return .scalar(
        value.mapped { .function("swift_decimal", [.text("-"), .integer(0), $0]) })
    }
    return .scalar(value.mapped { .unary(.minus, $0) })
  }
}

extension PredicateCompiler {
  /// If an overflow is a database error, the whole fetch would fail.
  func requireOverflowMarks() throws {
    if !database.marksOverflow { throw NotInSQL("a computation that may leave its range") }
  }

  fileprivate mutating func arithmetic(
    _ lhs: any PredicateExpression, _ sign: SQLBinaryOperator, _ rhs: any PredicateExpression
  ) throws -> ScalarTerm {
    try requireOverflowMarks()
    let (left, right) = (try term(lhs), try term(rhs))
    guard let first = try optionalScalar(left), let second = try optionalScalar(right),
      first.kind == second.kind, let type = first.scalarType, type.computesInSQL
    else { throw NotInSQL("arithmetic of another kind") }
    // A division by zero gives null in SQLite, and infinity or NaN in Swift.
    if !type.isInteger, sign == .divide, !isOrdinary(right) {
      throw NotInSQL("a division by what may be zero")
    }
    var result = combined(first, second, first.kind) { first, second in
      switch type {
      case .decimal:
        return .function(
          "swift_decimal", [.text(sign.rawValue), first, second])
      // The double-precision result, rounded to single precision, equals the single-precision
      // result.
      case .float: return .function("swift_float", [.binary(first, sign, second)])
      default: return .binary(first, sign, second)
      }
    }
    // For example, the difference of two infinities.
    let hasOrdinary = isOrdinary(left) || isOrdinary(right)
    result.mayBeNaN = first.mayBeNaN || second.mayBeNaN || !hasOrdinary
    if let range = type.traits.integers {
      demandRange(range, of: result, sign, first.value, second.value)
    }
    return result
  }

  /// Integers beyond 64 bits become floating-point in SQLite, and a division by zero gives null.
  private mutating func demandRange(
    _ range: Swift.ClosedRange<Int64>, of result: ScalarTerm, _ sign: SQLBinaryOperator,
    _ left: SQLExpression, _ right: SQLExpression
  ) {
    // SQLite computes the remainder of the smallest integer and -1, which overflows in Swift.
    let checked =
      sign == .remainder ? SQLExpression.binary(left, .divide, right) : result.value
    var conditions = [SQLExpression.isWholeNumber(checked)]
    if range != Int64.min...Int64.max {
      conditions.append(.binary(checked, .greaterOrEqual, .integer(range.lowerBound)))
      conditions.append(.binary(checked, .lessOrEqual, .integer(range.upperBound)))
    }
    demand(.any([result.isPresent.negated, .all(conditions)]))
  }

  private mutating func isOrdinary(_ term: SQLTerm) -> Bool {
    guard case .captured(let value) = term else { return false }
    dependsOnValues = true
    return switch unwrap(value) {
    case let value as Double: value != 0 && value.isFinite
    case let value as Float: value != 0 && value.isFinite
    case let value as Decimal: value != 0 && value.isFinite
    default: false
    }
  }
}
