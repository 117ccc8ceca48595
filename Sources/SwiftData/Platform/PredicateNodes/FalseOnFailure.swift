public import Foundation

/// A step of a predicate without a result.
public enum PredicateFailure: Error {
  /// An integer overflow, a division by zero, or an index that does not exist.
  case outOfRange
  /// A captured value could not be computed: `!` on nil, `as!` to another type, or an earlier
  /// failure.
  case missingValue
}

extension PredicateExpressions {
  /// A condition that is false if one of its steps fails.
  ///
  /// Steps that may fail: `!` on nil, `as!` to another class, arithmetic without a result, an index
  /// that does not exist, and a captured value that could not be computed.
  public struct _FalseOnFailure<Wrapped: PredicateExpression>: PredicateExpression
  where Wrapped.Output == Bool {
    /// The result of the condition, or false.
    public typealias Output = Bool

    /// The condition.
    public let wrapped: Wrapped

    /// Creates the node from a condition.
    public init(_ wrapped: Wrapped) {
      self.wrapped = wrapped
    }

    /// Evaluates the node with the given variable values.
    ///
    /// - Throws: Errors of the condition, except the failure of a step.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      try falseOnFailure { try wrapped.evaluate(bindings) }
    }
  }

  /// Builds the node for a closure whose steps may fail.
  public static func build_falseOnFailure<Wrapped>(
    _ wrapped: Wrapped
  ) -> _FalseOnFailure<Wrapped> {
    _FalseOnFailure(wrapped)
  }
}

extension PredicateExpressions._FalseOnFailure: Sendable where Wrapped: Sendable {}

extension PredicateExpressions._FalseOnFailure: Codable where Wrapped: Codable {}

extension PredicateExpressions._FalseOnFailure: StandardPredicateExpression
where Wrapped: StandardPredicateExpression {}

/// The condition, or false if one of its steps fails.
func falseOnFailure(_ condition: () throws -> Bool) throws -> Bool {
  do {
    return try condition()
  } catch {
    guard isFailedStep(error) else { throw error }
    return false
  }
}

/// Whether an error stands for a step that would have stopped the program.
func isFailedStep(_ error: any Error) -> Bool {
  if error is PredicateFailure { return true }
  guard let error = error as? PredicateError else { return false }
  return [.forceUnwrapFailure, .forceCastFailure, .invalidInput].contains(error)
}
