public import Foundation

// Foundation's nodes stop the program on an integer overflow or a division by zero. For integers
// these overloads are preferred; their nodes throw instead.
extension PredicateExpressions {
  /// Integer arithmetic that throws if it has no result.
  public struct _CheckedArithmetic<LHS: PredicateExpression, RHS: PredicateExpression>:
    PredicateExpression
  where LHS.Output: FixedWidthInteger, RHS.Output == LHS.Output {
    /// The result of the computation.
    public typealias Output = LHS.Output

    /// The arithmetic operation.
    public enum Operation: String, Codable, Sendable {
      /// Addition, subtraction, multiplication, division or remainder.
      case add, subtract, multiply, divide, remainder
    }

    /// The arithmetic operation.
    public let operation: Operation

    /// The left operand.
    public let lhs: LHS

    /// The right operand.
    public let rhs: RHS

    /// Creates the node from its operands and the operation.
    public init(lhs: LHS, rhs: RHS, operation: Operation) {
      self.lhs = lhs
      self.rhs = rhs
      self.operation = operation
    }

    /// Evaluates the node with the given variable values.
    /// - Throws: `PredicateFailure.outOfRange` if the result does not fit into the type, or the
    ///   divisor is zero.
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

  /// Builds `lhs + rhs`, `lhs - rhs` or `lhs * rhs` for integers.
  public static func build_Arithmetic<LHS, RHS>(
    lhs: LHS, rhs: RHS, op: ArithmeticOperator
  ) -> _CheckedArithmetic<LHS, RHS>
  where LHS.Output: FixedWidthInteger, RHS.Output == LHS.Output {
    let operation: _CheckedArithmetic<LHS, RHS>.Operation =
      switch op {
      case .subtract: .subtract
      case .multiply: .multiply
      default: .add
      }
    return _CheckedArithmetic(lhs: lhs, rhs: rhs, operation: operation)
  }

  /// Builds `lhs / rhs` for integers.
  public static func build_Division<LHS, RHS>(
    lhs: LHS, rhs: RHS
  ) -> _CheckedArithmetic<LHS, RHS>
  where LHS.Output: FixedWidthInteger, RHS.Output == LHS.Output {
    _CheckedArithmetic(lhs: lhs, rhs: rhs, operation: .divide)
  }

  /// Builds `lhs % rhs` for integers.
  public static func build_Remainder<LHS, RHS>(
    lhs: LHS, rhs: RHS
  ) -> _CheckedArithmetic<LHS, RHS>
  where LHS.Output: FixedWidthInteger, RHS.Output == LHS.Output {
    _CheckedArithmetic(lhs: lhs, rhs: rhs, operation: .remainder)
  }

  /// Builds `-operand` for an integer.
  public static func build_UnaryMinus<Operand>(
    _ operand: Operand
  ) -> _CheckedArithmetic<Value<Operand.Output>, Operand>
  where Operand.Output: FixedWidthInteger & SignedInteger {
    _CheckedArithmetic(lhs: Value(0), rhs: operand, operation: .subtract)
  }
}

extension PredicateExpressions._CheckedArithmetic: Sendable where LHS: Sendable, RHS: Sendable {}

extension PredicateExpressions._CheckedArithmetic: Codable where LHS: Codable, RHS: Codable {}

extension PredicateExpressions._CheckedArithmetic: StandardPredicateExpression
where LHS: StandardPredicateExpression, RHS: StandardPredicateExpression {}
