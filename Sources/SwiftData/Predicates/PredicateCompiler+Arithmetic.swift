import Foundation
import SQLSyntax

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
    guard let value = try compiler.optionalScalar(compiler.term(wrapped)),
      value.scalarType?.computesInSQL == true
    else { throw NotInSQL("a negative of another kind") }
    return .scalar(value.mapped { .unary(.minus, $0) })
  }
}

extension PredicateCompiler {
  /// Whole numbers that leave 64 bits become floating-point in SQLite; Swift stops the process.
  fileprivate mutating func arithmetic(
    _ lhs: any PredicateExpression, _ sign: SQLBinaryOperator, _ rhs: any PredicateExpression
  ) throws -> ScalarTerm {
    let (left, right) = (try term(lhs), try term(rhs))
    if sign == .divide || sign == .remainder {
      // Null is SQLite's answer to a division by zero; Swift has others.
      guard case .captured(let divisor) = right, isNonZero(divisor) else {
        throw NotInSQL("a division by what may be zero")
      }
    }
    guard let first = try optionalScalar(left), let second = try optionalScalar(right),
      first.kind == second.kind, first.scalarType?.computesInSQL == true
    else { throw NotInSQL("arithmetic of another kind") }
    // Infinities can make a NaN, which is null in SQLite, where neither side is an ordinary number.
    if first.scalarType == .double, !isOrdinary(left), !isOrdinary(right) {
      throw NotInSQL("arithmetic that may give no number")
    }
    return combined(first, second, first.kind) { .binary($0, sign, $1) }
  }

  private func isOrdinary(_ term: SQLTerm) -> Bool {
    guard case .captured(let value) = term else { return false }
    return unwrap(value).map(isNonZero) ?? false
  }

  private func isNonZero(_ value: Any) -> Bool {
    switch (value as? any ScalarCoding)?.storedValue {
    case .integer(let number): number != 0
    case .real(let number): number != 0 && number.isFinite
    default: false
    }
  }
}

extension ScalarType {
  /// Whether SQLite's arithmetic gives what Swift's gives. Unsigned 64-bit columns hold bit
  /// patterns, `Float` rounds sooner and `Decimal` later.
  fileprivate var computesInSQL: Bool {
    switch self {
    case .int, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .double: true
    case .uint, .uint64, .float, .decimal, .bool, .string, .date, .uuid, .data, .url: false
    }
  }
}
