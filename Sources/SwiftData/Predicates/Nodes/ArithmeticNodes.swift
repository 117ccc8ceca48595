import Foundation
import OpenSwiftDataSQLSyntax

// `+`, `-`, `*`, `/` and `%` on numbers. Concatenation is in `StringNodes`, arithmetic with dates in
// `DateNodes`.

/// A node that computes a number from two others.
protocol ArithmeticNode: PredicateNode {
  associatedtype LHS: PredicateExpression
  associatedtype RHS: PredicateExpression
  var lhs: LHS { get }
  var rhs: RHS { get }
  /// The operator, which SQL writes as Swift does; `nil` for an operator of a later Foundation.
  var sign: SQLBinaryOperator? { get }
}

extension PredicateExpressions.Arithmetic: ArithmeticNode {
  var sign: SQLBinaryOperator? { op.sign }
}

extension PredicateExpressions._DecimalArithmetic: ArithmeticNode {
  var sign: SQLBinaryOperator? { op.sign }
}

extension PredicateExpressions.ArithmeticOperator {
  fileprivate var sign: SQLBinaryOperator? {
    switch self {
    case .add: .add
    case .subtract: .subtract
    case .multiply: .multiply
    @unknown default: nil
    }
  }
}

extension PredicateExpressions._CheckedArithmetic: ArithmeticNode {
  var sign: SQLBinaryOperator? {
    switch operation {
    case .add: .add
    case .subtract: .subtract
    case .multiply: .multiply
    case .divide: .divide
    case .remainder: .remainder
    }
  }
}

extension PredicateExpressions.FloatDivision: ArithmeticNode {
  var sign: SQLBinaryOperator? { .divide }
}

extension PredicateExpressions.IntDivision: ArithmeticNode {
  var sign: SQLBinaryOperator? { .divide }
}

extension PredicateExpressions.IntRemainder: ArithmeticNode {
  var sign: SQLBinaryOperator? { .remainder }
}

extension PredicateExpressions.UnaryMinus: PredicateNode {
  var operands: [any PredicateExpression] { [wrapped] }
  var form: SourceForm { .prefix("-") }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    try compiler.database.requireOverflowMarks()
    guard let value = try compiler.optionalScalar(compiler.term(wrapped)),
      value.scalarType?.computesInSQL == true
    else { throw NotInSQL("the negation of a value that is not a number") }
    if value.scalarType == .decimal {
      return .scalar(
        value.mapped { .function("swift_decimal", [.text("-"), .integer(0), $0]) })
    }
    return .scalar(value.mapped { .unary(.minus, $0) })
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.computation(.negate, Wrapped.Output.self, wrapped)
  }
}

extension ArithmeticNode {
  var operands: [any PredicateExpression] { [lhs, rhs] }
  var form: SourceForm { .infix(sign?.rawValue ?? "<?>") }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    guard let sign else { throw NotInSQL("an unknown operation") }
    let (left, right) = (try compiler.term(lhs), try compiler.term(rhs))
    guard let first = try compiler.optionalScalar(left),
      let second = try compiler.optionalScalar(right),
      first.kind == second.kind, let type = first.scalarType, type.computesInSQL
    else { throw NotInSQL("arithmetic on values that are not numbers") }
    if !compiler.database.marksOverflow {
      guard let range = type.traits.integers else {
        throw NotInSQL("a computation that may overflow")
      }
      let result = ScalarTerm(exactly: first, sign, second)
      compiler.demands.add(result.isInExactRange(range, sign, first.value, second.value))
      return .scalar(result)
    }
    // A division by zero gives null in SQLite, and infinity or NaN in Swift.
    if !type.isInteger, sign == .divide, !right.isOrdinary(&compiler.bindings) {
      throw NotInSQL("a division by a value that may be zero")
    }
    var result = ScalarTerm(of: first, second, first.kind) { first, second in
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
    let hasOrdinary =
      left.isOrdinary(&compiler.bindings) || right.isOrdinary(&compiler.bindings)
    result.mayBeNaN = first.mayBeNaN || second.mayBeNaN || !hasOrdinary
    if let range = type.traits.integers {
      compiler.demands.add(result.isInRange(range, sign, first.value, second.value))
    }
    // The product may be too small for the type.
    if type == .decimal, sign == .multiply {
      compiler.demands.add(.any([result.isPresent.negated, result.value.isNotNull]))
    }
    return .scalar(result)
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    switch sign {
    case .add: try writer.computation(.add, LHS.Output.self, lhs, rhs)
    case .subtract: try writer.computation(.subtract, LHS.Output.self, lhs, rhs)
    case .multiply: try writer.computation(.multiply, LHS.Output.self, lhs, rhs)
    case .divide: try writer.computation(.divide, LHS.Output.self, lhs, rhs)
    case .remainder: try writer.computation(.remainder, LHS.Output.self, lhs, rhs)
    default: throw Undescribed("an unknown operation")
    }
  }
}

/// Arithmetic on integers in databases where an overflow and a division by zero are errors, which would
/// make the whole fetch fail: on decimals without a limit, whose range is tested afterwards.
extension ScalarTerm {
  fileprivate init(exactly first: ScalarTerm, _ sign: SQLBinaryOperator, _ second: ScalarTerm) {
    self.init(of: first, second, first.kind) { ScalarTerm.exact($0, sign, $1) }
  }

  /// The result of an operation; null for a division by zero.
  private static func exact(
    _ left: SQLExpression, _ sign: SQLBinaryOperator, _ right: SQLExpression
  ) -> SQLExpression {
    let (left, right) = (
      SQLExpression.cast(left, to: .decimal), SQLExpression.cast(right, to: .decimal)
    )
    let divisor = SQLExpression.function("nullif", [right, .integer(0)])
    return switch sign {
    // Both round towards zero, as Swift does.
    case .divide: .function("div", [left, divisor])
    case .remainder: .function("mod", [left, divisor])
    default: .binary(left, sign, right)
    }
  }

  /// The condition that the result of an operation is absent or a number of its type.
  fileprivate func isInExactRange(
    _ range: Swift.ClosedRange<Int64>, _ sign: SQLBinaryOperator, _ left: SQLExpression,
    _ right: SQLExpression
  ) -> SQLExpression {
    // The remainder of the smallest integer and -1 overflows in Swift.
    let checked = sign == .remainder ? ScalarTerm.exact(left, .divide, right) : value
    return .any([
      isPresent.negated,
      .orFalse(
        .all([
          .binary(checked, .greaterOrEqual, .integer(range.lowerBound)),
          .binary(checked, .lessOrEqual, .integer(range.upperBound)),
        ])),
    ])
  }
}

extension ScalarTerm {
  /// The condition that the result of an operation is absent or a number of its type. Integers
  /// beyond 64 bits become floating-point in SQLite, and a division by zero gives null.
  fileprivate func isInRange(
    _ range: Swift.ClosedRange<Int64>, _ sign: SQLBinaryOperator, _ left: SQLExpression,
    _ right: SQLExpression
  ) -> SQLExpression {
    // SQLite computes the remainder of the smallest integer and -1, which overflows in Swift.
    let checked = sign == .remainder ? SQLExpression.binary(left, .divide, right) : value
    var conditions = [SQLExpression.isWholeNumber(checked)]
    if range != Int64.min...Int64.max {
      conditions.append(.binary(checked, .greaterOrEqual, .integer(range.lowerBound)))
      conditions.append(.binary(checked, .lessOrEqual, .integer(range.upperBound)))
    }
    return .any([isPresent.negated, .all(conditions)])
  }
}

extension SQLTerm {
  /// Whether the term is a captured number that is finite and not zero.
  fileprivate func isOrdinary(_ bindings: inout StatementBindings) -> Bool {
    guard case .captured(let value) = self else { return false }
    bindings.dependOnValues()
    return switch StoredForms.unwrap(value) {
    case let value as Double: value != 0 && value.isFinite
    case let value as Float: value != 0 && value.isFinite
    case let value as Decimal: value != 0 && value.isFinite
    default: false
    }
  }
}

extension SQLCapabilities {
  /// Throws if an overflow is an error of the database, because the whole fetch would fail then.
  func requireOverflowMarks() throws {
    if !marksOverflow { throw NotInSQL("a computation that may overflow") }
  }
}
