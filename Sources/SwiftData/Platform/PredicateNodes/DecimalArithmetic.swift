public import Foundation

// Foundation stops the program at a product of decimals whose exponent is too small. For decimals this
// overload is preferred; its node throws instead.
extension PredicateExpressions {
  /// Arithmetic on decimals that throws if a product is too small for the type.
  public struct _DecimalArithmetic<LHS: PredicateExpression, RHS: PredicateExpression>:
    PredicateExpression
  where LHS.Output == Decimal, RHS.Output == Decimal {
    /// The result of the computation.
    public typealias Output = Decimal

    /// The arithmetic operation.
    public let op: ArithmeticOperator

    /// The left operand.
    public let lhs: LHS

    /// The right operand.
    public let rhs: RHS

    /// Creates the node from its operands and the operation.
    public init(lhs: LHS, rhs: RHS, op: ArithmeticOperator) {
      self.lhs = lhs
      self.rhs = rhs
      self.op = op
    }

    /// Evaluates the node with the given variable values. The result is NaN if it is too large.
    /// - Throws: `PredicateFailure.outOfRange` if a product is too small.
    public func evaluate(_ bindings: PredicateBindings) throws -> Decimal {
      let (left, right) = (try lhs.evaluate(bindings), try rhs.evaluate(bindings))
      switch op {
      case .subtract: return left - right
      case .multiply:
        guard let product = left.product(with: right) else { throw PredicateFailure.outOfRange }
        return product
      default: return left + right
      }
    }
  }

  /// Builds `lhs + rhs`, `lhs - rhs` or `lhs * rhs` for decimals.
  public static func build_Arithmetic<LHS, RHS>(
    lhs: LHS, rhs: RHS, op: ArithmeticOperator
  ) -> _DecimalArithmetic<LHS, RHS>
  where LHS.Output == Decimal, RHS.Output == Decimal {
    _DecimalArithmetic(lhs: lhs, rhs: rhs, op: op)
  }
}

extension PredicateExpressions._DecimalArithmetic: Sendable where LHS: Sendable, RHS: Sendable {}

extension PredicateExpressions._DecimalArithmetic: Codable where LHS: Codable, RHS: Codable {}

extension PredicateExpressions._DecimalArithmetic: StandardPredicateExpression
where LHS: StandardPredicateExpression, RHS: StandardPredicateExpression {}

extension Decimal {
  /// The product; `nil` if its exponent is too small for the type.
  func product(with other: Decimal) -> Decimal? {
    let sum = exponent + other.exponent
    guard sum < Int(Int8.min), !isZero, !other.isZero, isFinite, other.isFinite else {
      return self * other
    }
    // The product of two numbers with many digits is rounded to 38 of them, which raises its exponent.
    let digits = [self, other].reduce(0) { $0 + abs($1.significand).description.utf8.count } - 1
    return sum + max(0, digits - 38) >= Int(Int8.min) ? self * other : nil
  }
}
