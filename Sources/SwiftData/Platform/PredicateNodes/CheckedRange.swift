public import Foundation

// Foundation's nodes stop the program if the bounds of a range are in the wrong order; these throw.
extension PredicateExpressions {
  /// `lower..<upper`.
  public struct _CheckedRange<Lower: PredicateExpression, Upper: PredicateExpression>:
    PredicateExpression
  where Lower.Output: Comparable, Upper.Output == Lower.Output {
    /// The range.
    public typealias Output = Swift.Range<Lower.Output>

    /// The lower bound, which is included.
    public let lower: Lower

    /// The upper bound, which is not included.
    public let upper: Upper

    /// Creates the node from the two bounds.
    public init(lower: Lower, upper: Upper) {
      self.lower = lower
      self.upper = upper
    }

    /// Evaluates the node with the given variable values.
    ///
    /// - Throws: `PredicateFailure.outOfRange` if the bounds are in the wrong order.
    public func evaluate(_ bindings: PredicateBindings) throws -> Output {
      let (lower, upper) = (try lower.evaluate(bindings), try upper.evaluate(bindings))
      guard lower <= upper else { throw PredicateFailure.outOfRange }
      return lower..<upper
    }
  }

  /// `lower...upper`.
  public struct _CheckedClosedRange<Lower: PredicateExpression, Upper: PredicateExpression>:
    PredicateExpression
  where Lower.Output: Comparable, Upper.Output == Lower.Output {
    /// The range.
    public typealias Output = Swift.ClosedRange<Lower.Output>

    /// The lower bound.
    public let lower: Lower

    /// The upper bound, which is included.
    public let upper: Upper

    /// Creates the node from the two bounds.
    public init(lower: Lower, upper: Upper) {
      self.lower = lower
      self.upper = upper
    }

    /// Evaluates the node with the given variable values.
    ///
    /// - Throws: `PredicateFailure.outOfRange` if the bounds are in the wrong order.
    public func evaluate(_ bindings: PredicateBindings) throws -> Output {
      let (lower, upper) = (try lower.evaluate(bindings), try upper.evaluate(bindings))
      guard lower <= upper else { throw PredicateFailure.outOfRange }
      return lower...upper
    }
  }

  /// Builds `lower..<upper`.
  public static func build_CheckedRange<Lower, Upper>(
    lower: Lower, upper: Upper
  ) -> _CheckedRange<Lower, Upper> {
    _CheckedRange(lower: lower, upper: upper)
  }

  /// Builds `lower...upper`.
  public static func build_CheckedClosedRange<Lower, Upper>(
    lower: Lower, upper: Upper
  ) -> _CheckedClosedRange<Lower, Upper> {
    _CheckedClosedRange(lower: lower, upper: upper)
  }

  /// Builds `lower..<upper` for captured bounds, of nodes of Foundation, which other packages know.
  public static func build_CheckedRange<Bound: Comparable>(
    lower: Value<Bound>, upper: Value<Bound>
  ) -> Range<Value<Bound>, ForcedUnwrap<Value<Bound?>, Bound>> {
    Range(lower: lower, upper: bound(upper, notBelow: lower))
  }

  /// Builds `lower...upper` for captured bounds, of nodes of Foundation, which other packages know.
  public static func build_CheckedClosedRange<Bound: Comparable>(
    lower: Value<Bound>, upper: Value<Bound>
  ) -> ClosedRange<Value<Bound>, ForcedUnwrap<Value<Bound?>, Bound>> {
    ClosedRange(lower: lower, upper: bound(upper, notBelow: lower))
  }

  /// The upper bound; a step that fails if the bounds are in the wrong order.
  private static func bound<Bound: Comparable>(
    _ upper: Value<Bound>, notBelow lower: Value<Bound>
  ) -> ForcedUnwrap<Value<Bound?>, Bound> {
    ForcedUnwrap(Value(lower.value <= upper.value ? upper.value : nil))
  }
}

extension PredicateExpressions._CheckedRange: Sendable where Lower: Sendable, Upper: Sendable {}
extension PredicateExpressions._CheckedRange: Codable where Lower: Codable, Upper: Codable {}
extension PredicateExpressions._CheckedRange: StandardPredicateExpression
where Lower: StandardPredicateExpression, Upper: StandardPredicateExpression {}

extension PredicateExpressions._CheckedClosedRange: Sendable
where Lower: Sendable, Upper: Sendable {}
extension PredicateExpressions._CheckedClosedRange: Codable where Lower: Codable, Upper: Codable {}
extension PredicateExpressions._CheckedClosedRange: StandardPredicateExpression
where Lower: StandardPredicateExpression, Upper: StandardPredicateExpression {}
