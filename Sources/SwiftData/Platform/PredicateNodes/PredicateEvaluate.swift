// Foundation has this node on Darwin, and everywhere from Swift 6.4 on.
#if !canImport(Darwin) && compiler(<6.4)
  public import Foundation

  extension PredicateExpressions {
    /// The result of a predicate inside another predicate.
    public struct PredicateEvaluate<
      Condition: PredicateExpression, each Input: PredicateExpression
    >: PredicateExpression where Condition.Output == Predicate<repeat (each Input).Output> {
      /// Whether the input satisfies the predicate.
      public typealias Output = Bool

      /// The predicate to evaluate.
      public let predicate: Condition

      /// The input of the predicate.
      public let input: (repeat each Input)

      /// Creates the node from a predicate and its inputs.
      public init(predicate: Condition, input: repeat each Input) {
        self.predicate = predicate
        self.input = (repeat each input)
      }

      /// Evaluates the node with the given variable values.
      ///
      /// - Throws: Any error of the predicate or an input.
      public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
        try predicate.evaluate(bindings).evaluate(repeat (each input).evaluate(bindings))
      }
    }

    /// Builds the node for `predicate.evaluate(input)`.
    public static func build_evaluate<Condition, each Input>(
      _ predicate: Condition, _ input: repeat each Input
    ) -> PredicateEvaluate<Condition, repeat each Input>
    where Condition.Output == Predicate<repeat (each Input).Output> {
      PredicateEvaluate(predicate: predicate, input: repeat each input)
    }
  }

  extension PredicateExpressions.PredicateEvaluate: Sendable
  where Condition: Sendable, repeat each Input: Sendable {}

  extension PredicateExpressions.PredicateEvaluate: Codable
  where Condition: Codable, repeat each Input: Codable {
    /// Encodes the predicate, then its inputs in order.
    ///
    /// - Throws: Any error of the encoder or of a part of the node.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(predicate)
      repeat try container.encode(each input)
    }

    /// Decodes the predicate, then its inputs in order.
    ///
    /// - Throws: Any error of the decoder or of a part of the node.
    public init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      predicate = try container.decode(Condition.self)
      input = (repeat try container.decode((each Input).self))
    }
  }

  extension PredicateExpressions.PredicateEvaluate: StandardPredicateExpression
  where Condition: StandardPredicateExpression, repeat each Input: StandardPredicateExpression {}
#endif
