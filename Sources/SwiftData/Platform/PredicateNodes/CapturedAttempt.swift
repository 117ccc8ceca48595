public import Foundation

extension PredicateExpressions {
  /// A captured value that is used when the predicate is evaluated: one whose computation may have
  /// failed, or identifiers.
  ///
  /// So `folder == nil || $0.folder == folder!` can be made while `folder` is nil. A step that would
  /// stop the program fails only if evaluation reaches it.
  ///
  /// An identifier that was captured before the first save of its model is temporary. After the save
  /// the node returns the permanent identifier.
  public struct _CapturedAttempt<Output>: PredicateExpression {
    /// The value; nil if its computation failed.
    public let value: Output?
    private let holdsTemporaryIdentifiers: Bool

    /// Creates the node from a value, or from nil for a failed computation.
    public init(_ value: Output?) {
      self.value = value
      holdsTemporaryIdentifiers = (value as? any _IdentifierHolder)?._holdsTemporary ?? false
    }

    fileprivate init(identifiers: Output) where Output: _IdentifierHolder {
      value = identifiers
      holdsTemporaryIdentifiers = identifiers._holdsTemporary
    }

    /// Returns the captured value, with permanent identifiers in place of temporary ones.
    ///
    /// - Throws: `PredicateFailure.missingValue` if its computation failed.
    public func evaluate(_ bindings: PredicateBindings) throws -> Output {
      guard let value else { throw PredicateFailure.missingValue }
      guard holdsTemporaryIdentifiers else { return value }
      return (value as? any _IdentifierHolder)?._resolved as? Output ?? value
    }
  }

  /// Builds the node for a captured value whose computation may fail.
  public static func build_Attempt<Output>(
    _ value: () throws -> Output
  ) -> _CapturedAttempt<Output> {
    _CapturedAttempt(try? Optional.some(value()))
  }

  /// Builds the node for captured identifiers.
  public static func build_Arg<Identifiers: _IdentifierHolder>(
    _ identifiers: Identifiers
  ) -> _CapturedAttempt<Identifiers> {
    _CapturedAttempt(identifiers: identifiers)
  }

  /// Builds the node for `subject.contains(regex)` where the regular expression may have failed.
  public static func build_contains<Subject, Regex: RegexComponent>(
    _ subject: Subject, _ regex: _CapturedAttempt<Regex>
  ) -> StringContainsRegex<Subject, _CapturedAttempt<PredicateRegex>>
  where Subject.Output: BidirectionalCollection, Subject.Output.SubSequence == Substring {
    StringContainsRegex(
      subject: subject, regex: _CapturedAttempt(regex.value.map { build_Arg($0).value }))
  }

  /// The result of a computation that a predicate binds to a name.
  @_documentation(visibility: internal)
  public static func _attempt<Value>(
    _ value: () throws -> Value
  ) -> Result<Value, any Error> {
    Result { try value() }
  }
}

extension PredicateExpressions._CapturedAttempt: Sendable where Output: Sendable {}

extension PredicateExpressions._CapturedAttempt: Codable where Output: Codable {}

extension PredicateExpressions._CapturedAttempt: StandardPredicateExpression
where Output: Codable {}
