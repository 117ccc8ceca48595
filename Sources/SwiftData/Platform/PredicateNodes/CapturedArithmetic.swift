public import Foundation

// Arithmetic on captured values. The macros do not know which operands are integers, so they write
// a computation twice: as it is in the source, and as the steps below, which check their operands
// when they run.
extension PredicateExpressions {
  /// The value of a computation, after its steps were checked.
  ///
  /// - Throws: `PredicateFailure.outOfRange` if a step has no result.
  @_documentation(visibility: internal)
  public static func _computed<Value>(
    by steps: (_ComputingSteps) throws -> Any, _ value: @autoclosure () throws -> Value
  ) throws -> Value {
    _ = try steps(_ComputingSteps())
    return try value()
  }

  /// The steps of a computation. They check integers and products of decimals, and ignore operands of
  /// other types.
  @_documentation(visibility: internal)
  public struct _ComputingSteps {
    /// An operand that the steps cannot check.
    public var unknown: Any { Unknown() }

    /// A literal, which has the type of the other operand.
    public func literal(_ value: Int) -> Any { Literal(value: value) }

    /// `left + right`.
    ///
    /// - Throws: `PredicateFailure.outOfRange` if the result does not fit into the type.
    public func sum<Left, Right>(_ left: Left, _ right: Right) throws -> Any {
      try result(left, right, .sum)
    }

    /// `left - right`.
    ///
    /// - Throws: `PredicateFailure.outOfRange` if the result does not fit into the type.
    public func difference<Left, Right>(_ left: Left, _ right: Right) throws -> Any {
      try result(left, right, .difference)
    }

    /// `left * right`.
    ///
    /// - Throws: `PredicateFailure.outOfRange` if the result does not fit into the type; for decimals, if
    ///   it is too small.
    public func product<Left, Right>(_ left: Left, _ right: Right) throws -> Any {
      try result(left, right, .product)
    }

    /// `left / right`.
    ///
    /// - Throws: `PredicateFailure.outOfRange` if the result does not fit into the type, or the
    ///   divisor is zero.
    public func quotient<Left, Right>(_ left: Left, _ right: Right) throws -> Any {
      try result(left, right, .quotient)
    }

    /// `left % right`.
    ///
    /// - Throws: `PredicateFailure.outOfRange` if the result does not fit into the type, or the
    ///   divisor is zero.
    public func remainder<Left, Right>(_ left: Left, _ right: Right) throws -> Any {
      try result(left, right, .remainder)
    }

    /// `-value`.
    ///
    /// - Throws: `PredicateFailure.outOfRange` if the result does not fit into the type.
    public func negative<Operand>(_ value: Operand) throws -> Any {
      try result(Literal(value: 0), value, .difference)
    }

    /// `Number(value)`.
    ///
    /// - Throws: `PredicateFailure.outOfRange` if the value does not fit into the type.
    public func conversion<Number: FixedWidthInteger, Operand>(
      to type: Number.Type, of value: Operand
    ) throws -> Any {
      let converted: Number?
      switch value as Any {
      case let value as Literal: converted = Number(exactly: value.value)
      case let value as any BinaryInteger: converted = Number(exactly: value)
      case let value as any BinaryFloatingPoint: converted = truncated(value)
      default: return Unknown()
      }
      guard let converted else { throw PredicateFailure.outOfRange }
      return converted
    }

    private func truncated<Number: FixedWidthInteger>(
      _ value: some BinaryFloatingPoint
    ) -> Number? {
      Number(exactly: value.rounded(.towardZero))
    }

    private struct Unknown {}

    private struct Literal {
      let value: Int
    }

    private enum Operation {
      case sum, difference, product, quotient, remainder
    }

    private func result(_ left: Any, _ right: Any, _ operation: Operation) throws -> Any {
      if let left = left as? any FixedWidthInteger {
        try result(of: left, right, operation, isReversed: false)
      } else if let right = right as? any FixedWidthInteger, left is Literal {
        try result(of: right, left, operation, isReversed: true)
      } else if left is Decimal || right is Decimal {
        try decimalResult(left, right, operation)
      } else {
        Unknown()
      }
    }

    private func decimalResult(_ left: Any, _ right: Any, _ operation: Operation) throws -> Any {
      func number(_ operand: Any) -> Decimal? {
        operand as? Decimal ?? (operand as? Literal).map { Decimal($0.value) }
      }
      guard let left = number(left), let right = number(right) else { return Unknown() }
      switch operation {
      case .sum: return left + right
      case .difference: return left - right
      case .quotient: return left / right
      case .remainder: return Unknown()
      case .product:
        guard let product = left.product(with: right) else { throw PredicateFailure.outOfRange }
        return product
      }
    }

    private func result<Number: FixedWidthInteger>(
      of number: Number, _ other: Any, _ operation: Operation, isReversed: Bool
    ) throws -> Any {
      let literal = (other as? Literal).flatMap { Number(exactly: $0.value) }
      guard let other = other as? Number ?? literal else { return Unknown() }
      let (left, right) = isReversed ? (other, number) : (number, other)
      let (result, hasLeft) =
        switch operation {
        case .sum: left.addingReportingOverflow(right)
        case .difference: left.subtractingReportingOverflow(right)
        case .product: left.multipliedReportingOverflow(by: right)
        case .quotient: left.dividedReportingOverflow(by: right)
        case .remainder: left.remainderReportingOverflow(dividingBy: right)
        }
      if hasLeft { throw PredicateFailure.outOfRange }
      return result
    }
  }
}
