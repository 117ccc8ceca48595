public import Foundation

// Foundation's nodes stop the program where a whole number leaves the range of its type or is
// divided by zero. These overloads win for whole numbers and make nodes that throw instead.
extension PredicateExpressions {
  /// A computation with whole numbers that may have no result.
  public struct CheckedArithmetic<LHS: PredicateExpression, RHS: PredicateExpression>:
    PredicateExpression
  where LHS.Output: FixedWidthInteger, RHS.Output == LHS.Output {
    /// The result of the computation.
    public typealias Output = LHS.Output

    /// What is computed.
    public enum Operation: String, Codable, Sendable {
      /// The sum, the difference, the product, the quotient or the remainder.
      case add, subtract, multiply, divide, remainder
    }

    /// What is computed.
    public let operation: Operation

    /// The left operand.
    public let lhs: LHS

    /// The right operand.
    public let rhs: RHS

    /// Creates the node from its operands and what to compute.
    public init(lhs: LHS, rhs: RHS, operation: Operation) {
      self.lhs = lhs
      self.rhs = rhs
      self.operation = operation
    }

    /// Answers for one set of variable values.
    /// - Throws: `PredicateFailure.outOfRange` where the result is no number of the type.
    public func evaluate(_ bindings: PredicateBindings) throws -> Output {
      let (left, right) = (try lhs.evaluate(bindings), try rhs.evaluate(bindings))
      let (result, hasLeft) =
        switch operation {
        case .add: left.addingReportingOverflow(right)
        case .subtract: left.subtractingReportingOverflow(right)
        case .multiply: left.multipliedReportingOverflow(by: right)
        case .divide: left.dividedReportingOverflow(by: right)
        case .remainder: left.remainderReportingOverflow(dividingBy: right)
        }
      if hasLeft { throw PredicateFailure.outOfRange }
      return result
    }
  }

  /// Builds `lhs + rhs`, `lhs - rhs` or `lhs * rhs` of whole numbers.
  public static func build_Arithmetic<LHS, RHS>(
    lhs: LHS, rhs: RHS, op: ArithmeticOperator
  ) -> CheckedArithmetic<LHS, RHS>
  where LHS.Output: FixedWidthInteger, RHS.Output == LHS.Output {
    let operation: CheckedArithmetic<LHS, RHS>.Operation =
      switch op {
      case .subtract: .subtract
      case .multiply: .multiply
      default: .add
      }
    return CheckedArithmetic(lhs: lhs, rhs: rhs, operation: operation)
  }

  /// Builds `lhs / rhs` of whole numbers.
  public static func build_Division<LHS, RHS>(
    lhs: LHS, rhs: RHS
  ) -> CheckedArithmetic<LHS, RHS>
  where LHS.Output: FixedWidthInteger, RHS.Output == LHS.Output {
    CheckedArithmetic(lhs: lhs, rhs: rhs, operation: .divide)
  }

  /// Builds `lhs % rhs` of whole numbers.
  public static func build_Remainder<LHS, RHS>(
    lhs: LHS, rhs: RHS
  ) -> CheckedArithmetic<LHS, RHS>
  where LHS.Output: FixedWidthInteger, RHS.Output == LHS.Output {
    CheckedArithmetic(lhs: lhs, rhs: rhs, operation: .remainder)
  }

  /// Builds `-operand` of a whole number.
  public static func build_UnaryMinus<Operand>(
    _ operand: Operand
  ) -> CheckedArithmetic<Value<Operand.Output>, Operand>
  where Operand.Output: FixedWidthInteger & SignedInteger {
    CheckedArithmetic(lhs: Value(0), rhs: operand, operation: .subtract)
  }
}

extension PredicateExpressions.CheckedArithmetic: Sendable where LHS: Sendable, RHS: Sendable {}

extension PredicateExpressions.CheckedArithmetic: Codable where LHS: Codable, RHS: Codable {}

extension PredicateExpressions.CheckedArithmetic: StandardPredicateExpression
where LHS: StandardPredicateExpression, RHS: StandardPredicateExpression {}
