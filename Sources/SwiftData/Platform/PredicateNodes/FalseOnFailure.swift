public import Foundation

/// A step of a predicate that has no value.
public enum PredicateFailure: Error {
  /// A whole number left the range of its type, or was divided by zero.
  case outOfRange
  /// A captured value could not be computed: `!` found nil, `as!` another class, or a step before failed.
  case missingValue
}

extension PredicateExpressions {
  /// A condition that is false where one of its steps fails.
  ///
  /// Steps that may fail are `!` on nil, `as!` to another class, a computation without result, a
  /// position that a collection lacks and a captured value that could not be computed.
  public struct FalseOnFailure<Wrapped: PredicateExpression>: PredicateExpression
  where Wrapped.Output == Bool {
    /// The condition, or false.
    public typealias Output = Bool

    /// The condition.
    public let wrapped: Wrapped

    /// Creates the node from a condition.
    public init(_ wrapped: Wrapped) {
      self.wrapped = wrapped
    }

    /// Answers for one set of variable values.
    ///
    /// - Throws: What the condition throws, except for a step that fails: that is false.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      try falseOnFailure { try wrapped.evaluate(bindings) }
    }
  }

  /// Builds the node for a closure that tests elements and may fail.
  public static func build_falseOnFailure<Wrapped>(
    _ wrapped: Wrapped
  ) -> FalseOnFailure<Wrapped> {
    FalseOnFailure(wrapped)
  }
}

extension PredicateExpressions.FalseOnFailure: Sendable where Wrapped: Sendable {}

extension PredicateExpressions.FalseOnFailure: Codable where Wrapped: Codable {}

extension PredicateExpressions.FalseOnFailure: StandardPredicateExpression
where Wrapped: StandardPredicateExpression {}

/// The condition, or false where a step of it fails.
func falseOnFailure(_ condition: () throws -> Bool) throws -> Bool {
  do {
    return try condition()
  } catch {
    guard isFailedStep(error) else { throw error }
    return false
  }
}

/// Whether an error says that a step would have stopped a program.
func isFailedStep(_ error: any Error) -> Bool {
  if error is PredicateFailure { return true }
  guard let error = error as? PredicateError else { return false }
  return [.forceUnwrapFailure, .forceCastFailure, .invalidInput].contains(error)
}
