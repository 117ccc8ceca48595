public import Foundation

// Foundation's `Value` node requires an encodable value, and predicates are not encodable here.
// These two nodes hold a predicate or an expression inside another one; encoding them throws.
extension PredicateExpressions {
  /// A predicate that another predicate evaluates.
  public struct _CapturedPredicate<each Input>: StandardPredicateExpression {
    /// The captured predicate, for the node that evaluates it.
    public typealias Output = Predicate<repeat each Input>

    /// The captured predicate.
    public let value: Predicate<repeat each Input>

    /// Creates the node from a predicate.
    public init(_ value: Predicate<repeat each Input>) {
      self.value = value
    }

    /// Returns the predicate itself.
    ///
    /// - Throws: Nothing.
    public func evaluate(_ bindings: PredicateBindings) throws -> Output {
      value
    }

    /// Always throws: a captured predicate has no encoded form.
    ///
    /// - Throws: `DecodingError.dataCorrupted`.
    public init(from decoder: any Decoder) throws {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "A predicate inside a predicate cannot be decoded."))
    }

    /// Always throws: a captured predicate has no encoded form.
    ///
    /// - Throws: `EncodingError.invalidValue`.
    public func encode(to encoder: any Encoder) throws {
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription: "A predicate inside a predicate cannot be encoded."))
    }
  }

  /// An expression that a predicate or another expression uses.
  public struct _CapturedExpression<each Input, Result>: StandardPredicateExpression {
    /// The captured expression, for the node that evaluates it.
    public typealias Output = Expression<repeat each Input, Result>

    /// The captured expression.
    public let value: Expression<repeat each Input, Result>

    /// Creates the node from an expression.
    public init(_ value: Expression<repeat each Input, Result>) {
      self.value = value
    }

    /// Returns the expression itself.
    ///
    /// - Throws: Nothing.
    public func evaluate(_ bindings: PredicateBindings) throws -> Output {
      value
    }

    /// Always throws: a captured expression has no encoded form.
    ///
    /// - Throws: `DecodingError.dataCorrupted`.
    public init(from decoder: any Decoder) throws {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "An expression inside a predicate cannot be decoded."))
    }

    /// Always throws: a captured expression has no encoded form.
    ///
    /// - Throws: `EncodingError.invalidValue`.
    public func encode(to encoder: any Encoder) throws {
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription: "An expression inside a predicate cannot be encoded."))
    }
  }

  /// Builds the node for a predicate that `build_evaluate` evaluates.
  public static func build_Arg<each Input>(
    _ predicate: Predicate<repeat each Input>
  ) -> _CapturedPredicate<repeat each Input> {
    _CapturedPredicate(predicate)
  }

  /// Builds the node for an expression that `build_evaluate` evaluates.
  public static func build_Arg<each Input, Result>(
    _ expression: Expression<repeat each Input, Result>
  ) -> _CapturedExpression<repeat each Input, Result> {
    _CapturedExpression(expression)
  }

  /// Builds the node for `predicate.evaluate(input)` of a captured predicate.
  public static func build_evaluate<each Input: PredicateExpression>(
    _ predicate: Predicate<repeat (each Input).Output>, _ input: repeat each Input
  ) -> PredicateEvaluate<_CapturedPredicate<repeat (each Input).Output>, repeat each Input> {
    PredicateEvaluate(predicate: _CapturedPredicate(predicate), input: repeat each input)
  }

  /// Builds the node for `expression.evaluate(input)` of a captured expression.
  public static func build_evaluate<each Input: PredicateExpression, Result>(
    _ expression: Expression<repeat (each Input).Output, Result>, _ input: repeat each Input
  ) -> ExpressionEvaluate<
    _CapturedExpression<repeat (each Input).Output, Result>, repeat each Input, Result
  > {
    ExpressionEvaluate(expression: _CapturedExpression(expression), input: repeat each input)
  }

  /// Builds the node for `predicate.evaluate(input)` where computing the predicate may fail.
  public static func build_evaluate<each Input: PredicateExpression>(
    attempt predicate: () throws -> Predicate<repeat (each Input).Output>,
    _ input: repeat each Input
  ) -> PredicateEvaluate<_CapturedPredicate<repeat (each Input).Output>, repeat each Input> {
    build_evaluate((try? predicate()) ?? failingPredicate(), repeat each input)
  }

  /// Builds the node for `predicate?.evaluate(input)` of a captured predicate.
  public static func build_evaluate<each Input: PredicateExpression>(
    optional predicate: () throws -> Predicate<repeat (each Input).Output>?,
    _ input: repeat each Input
  ) -> _OptionalEvaluate<
    PredicateEvaluate<_CapturedPredicate<repeat (each Input).Output>, repeat each Input>
  > {
    let outcome = Result { try predicate() }
    let isAbsent = (try? outcome.get() == nil) ?? false
    let known = (try? outcome.get()) ?? failingPredicate()
    return Conditional(
      test: Value(isAbsent), trueBranch: NilLiteral(),
      falseBranch: ConditionalCast(build_evaluate(known, repeat each input)))
  }

  /// The node for `predicate?.evaluate(input)`: a captured flag chooses between nil and the result.
  public typealias _OptionalEvaluate<Evaluation: PredicateExpression> =
    Conditional<
      Value<Bool>, NilLiteral<Evaluation.Output>, ConditionalCast<Evaluation, Evaluation.Output>
    >

  /// A predicate whose evaluation fails.
  private static func failingPredicate<each Input>() -> Predicate<repeat each Input> {
    Predicate { (_: repeat Variable<each Input>) in _CapturedAttempt<Bool>(nil) }
  }
}
