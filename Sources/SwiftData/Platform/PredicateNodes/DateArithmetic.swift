public import Foundation

extension PredicateExpressions {
  /// A date that is a number of seconds after or before another date.
  public struct _DateOffset<Root: PredicateExpression, Seconds: PredicateExpression>:
    PredicateExpression
  where Root.Output == Date, Seconds.Output == TimeInterval {
    /// The resulting date.
    public typealias Output = Date

    /// The start date.
    public let date: Root

    /// The offset in seconds.
    public let seconds: Seconds

    /// Whether the offset is subtracted.
    public let isBackward: Bool

    /// Creates the node from a date, a number of seconds and the direction.
    public init(date: Root, seconds: Seconds, isBackward: Bool = false) {
      self.date = date
      self.seconds = seconds
      self.isBackward = isBackward
    }

    /// Evaluates the node with the given variable values.
    ///
    /// - Throws: Any error of an operand.
    public func evaluate(_ bindings: PredicateBindings) throws -> Date {
      let (date, seconds) = (try date.evaluate(bindings), try seconds.evaluate(bindings))
      return isBackward ? date - seconds : date + seconds
    }
  }

  /// The number of seconds from one date to another.
  public struct _DateDistance<Start: PredicateExpression, End: PredicateExpression>:
    PredicateExpression
  where Start.Output == Date, End.Output == Date {
    /// The seconds from the first date to the second; negative if the second is earlier.
    public typealias Output = TimeInterval

    /// The start date.
    public let from: Start

    /// The end date.
    public let to: End

    /// Creates the node from the two dates.
    public init(from: Start, to: End) {
      self.from = from
      self.to = to
    }

    /// Evaluates the node with the given variable values.
    ///
    /// - Throws: Any error of an operand.
    public func evaluate(_ bindings: PredicateBindings) throws -> TimeInterval {
      try to.evaluate(bindings).timeIntervalSince(from.evaluate(bindings))
    }
  }

  /// Builds `date + seconds` or `date - seconds`.
  public static func build_Arithmetic<Root, Seconds>(
    lhs: Root, rhs: Seconds, op: ArithmeticOperator
  ) -> _DateOffset<Root, Seconds> where Root.Output == Date, Seconds.Output == TimeInterval {
    _DateOffset(date: lhs, seconds: rhs, isBackward: op == .subtract)
  }

  /// Builds `date.addingTimeInterval(seconds)`.
  public static func build_addingTimeInterval<Root, Seconds>(
    _ date: Root, _ seconds: Seconds
  ) -> _DateOffset<Root, Seconds> where Root.Output == Date, Seconds.Output == TimeInterval {
    _DateOffset(date: date, seconds: seconds)
  }

  /// Builds `end.timeIntervalSince(start)`.
  public static func build_timeIntervalSince<End, Start>(
    _ end: End, _ start: Start
  ) -> _DateDistance<Start, End> where Start.Output == Date, End.Output == Date {
    _DateDistance(from: start, to: end)
  }

  /// Builds `start.distance(to: end)`.
  public static func build_distance<Start, End>(
    _ start: Start, to end: End
  ) -> _DateDistance<Start, End> where Start.Output == Date, End.Output == Date {
    _DateDistance(from: start, to: end)
  }
}

extension PredicateExpressions._DateOffset: Sendable where Root: Sendable, Seconds: Sendable {}
extension PredicateExpressions._DateOffset: Codable where Root: Codable, Seconds: Codable {}
extension PredicateExpressions._DateOffset: StandardPredicateExpression
where Root: StandardPredicateExpression, Seconds: StandardPredicateExpression {}

extension PredicateExpressions._DateDistance: Sendable where Start: Sendable, End: Sendable {}
extension PredicateExpressions._DateDistance: Codable where Start: Codable, End: Codable {}
extension PredicateExpressions._DateDistance: StandardPredicateExpression
where Start: StandardPredicateExpression, End: StandardPredicateExpression {}
