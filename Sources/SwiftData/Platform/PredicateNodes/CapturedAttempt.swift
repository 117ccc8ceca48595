public import Foundation

extension PredicateExpressions {
  /// A captured value that was computed when the predicate was made, or the fact that this failed.
  ///
  /// `folder == nil || $0.folder == folder!` may be made where `folder` is nil. The step that would stop
  /// the program fails when the predicate is evaluated, if it is reached then.
  public struct CapturedAttempt<Output>: PredicateExpression {
    /// The value; nil where a step of its computation failed.
    public let value: Output?

    /// Creates the node from a value, or nil for a computation that failed.
    public init(_ value: Output?) {
      self.value = value
    }

    /// Answers the captured value.
    ///
    /// - Throws: `PredicateFailure.missingValue` where there is none.
    public func evaluate(_ bindings: PredicateBindings) throws -> Output {
      guard let value else { throw PredicateFailure.missingValue }
      return value
    }
  }

  /// Builds the node for a captured value whose computation may fail.
  public static func build_Attempt<Output>(
    _ value: () throws -> Output
  ) -> CapturedAttempt<Output> {
    CapturedAttempt(try? Optional.some(value()))
  }

  /// Builds the node for `subject.contains(regex)` where the regular expression may have failed.
  public static func build_contains<Subject, Regex: RegexComponent>(
    _ subject: Subject, _ regex: CapturedAttempt<Regex>
  ) -> StringContainsRegex<Subject, CapturedAttempt<PredicateRegex>>
  where Subject.Output: BidirectionalCollection, Subject.Output.SubSequence == Substring {
    StringContainsRegex(
      subject: subject, regex: CapturedAttempt(regex.value.map { build_Arg($0).value }))
  }

  /// The outcome of a computation that a predicate binds to a name.
  @_documentation(visibility: internal)
  public static func _attempt<Value>(
    _ value: () throws -> Value
  ) -> Result<Value, any Error> {
    Result { try value() }
  }
}

extension PredicateExpressions.CapturedAttempt: Sendable where Output: Sendable {}

extension PredicateExpressions.CapturedAttempt: Codable where Output: Codable {}

extension PredicateExpressions.CapturedAttempt: StandardPredicateExpression
where Output: Codable {}
