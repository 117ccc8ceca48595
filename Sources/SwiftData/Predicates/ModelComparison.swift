public import Foundation

// A captured model cannot be part of a predicate, because it is neither `Sendable` nor `Codable`.
// These builders compare its identifier with that of the predicate's model.

extension PredicateExpressions {
  /// The identifier of the model that `Root` evaluates to.
  public typealias _ModelIdentifier<Root: PredicateExpression> = KeyPath<Root, PersistentIdentifier>

  /// The identifier of the optional model that `Root` evaluates to.
  public typealias _OptionalModelIdentifier<Root: PredicateExpression, Model> = OptionalFlatMap<
    Root, Model, KeyPath<Variable<Model>, PersistentIdentifier>, PersistentIdentifier
  > where Root.Output == Model?

  /// Builds `lhs == rhs` where the right side is a captured model.
  public static func build_Equal<LHS, Model: PersistentModel>(
    lhs: LHS, rhs: Value<Model>
  ) -> Equal<_ModelIdentifier<LHS>, _CapturedAttempt<PersistentIdentifier>>
  where LHS.Output == Model {
    Equal(lhs: identifier(of: lhs), rhs: build_Arg(rhs.value.persistentModelID))
  }

  /// Builds `lhs == rhs` where the left side is a captured model.
  public static func build_Equal<RHS, Model: PersistentModel>(
    lhs: Value<Model>, rhs: RHS
  ) -> Equal<_CapturedAttempt<PersistentIdentifier>, _ModelIdentifier<RHS>>
  where RHS.Output == Model {
    Equal(lhs: build_Arg(lhs.value.persistentModelID), rhs: identifier(of: rhs))
  }

  /// Builds `lhs == rhs` where the right side is a captured model or `nil`.
  public static func build_Equal<LHS, Model: PersistentModel>(
    lhs: LHS, rhs: Value<Model?>
  ) -> Equal<_OptionalModelIdentifier<LHS, Model>, _CapturedAttempt<PersistentIdentifier?>>
  where LHS.Output == Model? {
    Equal(lhs: optionalIdentifier(of: lhs), rhs: build_Arg(rhs.value?.persistentModelID))
  }

  /// Builds `lhs == rhs` where the left side is a captured model or `nil`.
  public static func build_Equal<RHS, Model: PersistentModel>(
    lhs: Value<Model?>, rhs: RHS
  ) -> Equal<_CapturedAttempt<PersistentIdentifier?>, _OptionalModelIdentifier<RHS, Model>>
  where RHS.Output == Model? {
    Equal(lhs: build_Arg(lhs.value?.persistentModelID), rhs: optionalIdentifier(of: rhs))
  }

  /// Builds `lhs != rhs` where the right side is a captured model.
  public static func build_NotEqual<LHS, Model: PersistentModel>(
    lhs: LHS, rhs: Value<Model>
  ) -> NotEqual<_ModelIdentifier<LHS>, _CapturedAttempt<PersistentIdentifier>>
  where LHS.Output == Model {
    NotEqual(lhs: identifier(of: lhs), rhs: build_Arg(rhs.value.persistentModelID))
  }

  /// Builds `lhs != rhs` where the left side is a captured model.
  public static func build_NotEqual<RHS, Model: PersistentModel>(
    lhs: Value<Model>, rhs: RHS
  ) -> NotEqual<_CapturedAttempt<PersistentIdentifier>, _ModelIdentifier<RHS>>
  where RHS.Output == Model {
    NotEqual(lhs: build_Arg(lhs.value.persistentModelID), rhs: identifier(of: rhs))
  }

  /// Builds `lhs != rhs` where the right side is a captured model or `nil`.
  public static func build_NotEqual<LHS, Model: PersistentModel>(
    lhs: LHS, rhs: Value<Model?>
  ) -> NotEqual<_OptionalModelIdentifier<LHS, Model>, _CapturedAttempt<PersistentIdentifier?>>
  where LHS.Output == Model? {
    NotEqual(lhs: optionalIdentifier(of: lhs), rhs: build_Arg(rhs.value?.persistentModelID))
  }

  /// Builds `lhs != rhs` where the left side is a captured model or `nil`.
  public static func build_NotEqual<RHS, Model: PersistentModel>(
    lhs: Value<Model?>, rhs: RHS
  ) -> NotEqual<_CapturedAttempt<PersistentIdentifier?>, _OptionalModelIdentifier<RHS, Model>>
  where RHS.Output == Model? {
    NotEqual(lhs: build_Arg(lhs.value?.persistentModelID), rhs: optionalIdentifier(of: rhs))
  }

  /// Builds `lhs.contains(rhs)` where the element is a captured model.
  public static func build_contains<LHS, Model: PersistentModel>(
    _ lhs: LHS, _ rhs: Value<Model>
  ) -> SequenceContainsWhere<
    LHS, Equal<_ModelIdentifier<Variable<Model>>, _CapturedAttempt<PersistentIdentifier>>
  >
  where LHS.Output: Sequence, LHS.Output.Element == Model {
    SequenceContainsWhere(lhs) { build_Equal(lhs: $0, rhs: rhs) }
  }

  /// Builds `lhs.contains(rhs)` where the sequence contains captured models.
  public static func build_contains<RHS, Models: Sequence>(
    _ lhs: Value<Models>, _ rhs: RHS
  ) -> SequenceContains<_CapturedAttempt<[PersistentIdentifier]>, _ModelIdentifier<RHS>>
  where Models.Element: PersistentModel, RHS.Output == Models.Element {
    SequenceContains(
      sequence: build_Arg(lhs.value.map(\.persistentModelID)), element: identifier(of: rhs))
  }

  /// Builds `lhs.contains(rhs)` where the sequence contains captured models and the element is an
  /// implicitly unwrapped one.
  public static func build_contains<RHS, Models: Sequence>(
    _ lhs: Value<Models>, _ rhs: RHS
  ) -> SequenceContains<
    _CapturedAttempt<[PersistentIdentifier]>, _ModelIdentifier<ForcedUnwrap<RHS, Models.Element>>
  >
  where Models.Element: PersistentModel, RHS.Output == Models.Element? {
    build_contains(lhs, ForcedUnwrap(rhs))
  }

  static func identifier<Root>(of root: Root) -> _ModelIdentifier<Root>
  where Root.Output: PersistentModel {
    KeyPath(root: root, keyPath: \Root.Output.persistentModelID)
  }

  static func optionalIdentifier<Root, Model: PersistentModel>(
    of root: Root
  ) -> _OptionalModelIdentifier<Root, Model> where Root.Output == Model? {
    OptionalFlatMap(root) { identifier(of: $0) }
  }
}
