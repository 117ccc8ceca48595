public import Foundation

// The builders of `ModelComparison` for captured models whose computation may fail: `$0.folder ==
// folder!`.
extension PredicateExpressions {
  /// Builds `lhs == rhs` where `rhs` is an attempt to capture a model.
  public static func build_Equal<LHS, Model: PersistentModel>(
    lhs: LHS, rhs: _CapturedAttempt<Model>
  ) -> Equal<_ModelIdentifier<LHS>, _CapturedAttempt<PersistentIdentifier>>
  where LHS.Output == Model {
    Equal(lhs: identifier(of: lhs), rhs: rhs.identifier())
  }

  /// Builds `lhs == rhs` where `lhs` is optional, and `rhs` is an attempt to capture a model.
  public static func build_Equal<LHS, Model: PersistentModel>(
    lhs: LHS, rhs: _CapturedAttempt<Model>
  ) -> Equal<_OptionalModelIdentifier<LHS, Model>, _CapturedAttempt<PersistentIdentifier?>>
  where LHS.Output == Model? {
    Equal(lhs: optionalIdentifier(of: lhs), rhs: rhs.optionalIdentifier())
  }

  /// Builds `lhs == rhs` where `rhs` is an attempt to capture an optional model.
  public static func build_Equal<LHS, Model: PersistentModel>(
    lhs: LHS, rhs: _CapturedAttempt<Model?>
  ) -> Equal<_OptionalModelIdentifier<LHS, Model>, _CapturedAttempt<PersistentIdentifier?>>
  where LHS.Output == Model? {
    Equal(lhs: optionalIdentifier(of: lhs), rhs: rhs.optionalIdentifier())
  }

  /// Builds `lhs == rhs` where `lhs` is an attempt to capture a model.
  public static func build_Equal<RHS, Model: PersistentModel>(
    lhs: _CapturedAttempt<Model>, rhs: RHS
  ) -> Equal<_CapturedAttempt<PersistentIdentifier>, _ModelIdentifier<RHS>>
  where RHS.Output == Model {
    Equal(lhs: lhs.identifier(), rhs: identifier(of: rhs))
  }

  /// Builds `lhs == rhs` where `rhs` is optional, and `lhs` is an attempt to capture a model.
  public static func build_Equal<RHS, Model: PersistentModel>(
    lhs: _CapturedAttempt<Model>, rhs: RHS
  ) -> Equal<_CapturedAttempt<PersistentIdentifier?>, _OptionalModelIdentifier<RHS, Model>>
  where RHS.Output == Model? {
    Equal(lhs: lhs.optionalIdentifier(), rhs: optionalIdentifier(of: rhs))
  }

  /// Builds `lhs == rhs` where `lhs` is an attempt to capture an optional model.
  public static func build_Equal<RHS, Model: PersistentModel>(
    lhs: _CapturedAttempt<Model?>, rhs: RHS
  ) -> Equal<_CapturedAttempt<PersistentIdentifier?>, _OptionalModelIdentifier<RHS, Model>>
  where RHS.Output == Model? {
    Equal(lhs: lhs.optionalIdentifier(), rhs: optionalIdentifier(of: rhs))
  }

  /// Builds `lhs != rhs` where `rhs` is an attempt to capture a model.
  public static func build_NotEqual<LHS, Model: PersistentModel>(
    lhs: LHS, rhs: _CapturedAttempt<Model>
  ) -> NotEqual<_ModelIdentifier<LHS>, _CapturedAttempt<PersistentIdentifier>>
  where LHS.Output == Model {
    NotEqual(lhs: identifier(of: lhs), rhs: rhs.identifier())
  }

  /// Builds `lhs != rhs` where `lhs` is optional, and `rhs` is an attempt to capture a model.
  public static func build_NotEqual<LHS, Model: PersistentModel>(
    lhs: LHS, rhs: _CapturedAttempt<Model>
  ) -> NotEqual<_OptionalModelIdentifier<LHS, Model>, _CapturedAttempt<PersistentIdentifier?>>
  where LHS.Output == Model? {
    NotEqual(lhs: optionalIdentifier(of: lhs), rhs: rhs.optionalIdentifier())
  }

  /// Builds `lhs != rhs` where `rhs` is an attempt to capture an optional model.
  public static func build_NotEqual<LHS, Model: PersistentModel>(
    lhs: LHS, rhs: _CapturedAttempt<Model?>
  ) -> NotEqual<_OptionalModelIdentifier<LHS, Model>, _CapturedAttempt<PersistentIdentifier?>>
  where LHS.Output == Model? {
    NotEqual(lhs: optionalIdentifier(of: lhs), rhs: rhs.optionalIdentifier())
  }

  /// Builds `lhs != rhs` where `lhs` is an attempt to capture a model.
  public static func build_NotEqual<RHS, Model: PersistentModel>(
    lhs: _CapturedAttempt<Model>, rhs: RHS
  ) -> NotEqual<_CapturedAttempt<PersistentIdentifier>, _ModelIdentifier<RHS>>
  where RHS.Output == Model {
    NotEqual(lhs: lhs.identifier(), rhs: identifier(of: rhs))
  }

  /// Builds `lhs != rhs` where `rhs` is optional, and `lhs` is an attempt to capture a model.
  public static func build_NotEqual<RHS, Model: PersistentModel>(
    lhs: _CapturedAttempt<Model>, rhs: RHS
  ) -> NotEqual<_CapturedAttempt<PersistentIdentifier?>, _OptionalModelIdentifier<RHS, Model>>
  where RHS.Output == Model? {
    NotEqual(lhs: lhs.optionalIdentifier(), rhs: optionalIdentifier(of: rhs))
  }

  /// Builds `lhs != rhs` where `lhs` is an attempt to capture an optional model.
  public static func build_NotEqual<RHS, Model: PersistentModel>(
    lhs: _CapturedAttempt<Model?>, rhs: RHS
  ) -> NotEqual<_CapturedAttempt<PersistentIdentifier?>, _OptionalModelIdentifier<RHS, Model>>
  where RHS.Output == Model? {
    NotEqual(lhs: lhs.optionalIdentifier(), rhs: optionalIdentifier(of: rhs))
  }

  /// Builds `lhs.contains(rhs)` where the element is an attempt to capture a model.
  public static func build_contains<LHS, Model: PersistentModel>(
    _ lhs: LHS, _ rhs: _CapturedAttempt<Model>
  ) -> SequenceContainsWhere<
    LHS, Equal<_ModelIdentifier<Variable<Model>>, _CapturedAttempt<PersistentIdentifier>>
  >
  where LHS.Output: Sequence, LHS.Output.Element == Model {
    SequenceContainsWhere(lhs) { build_Equal(lhs: $0, rhs: rhs) }
  }

  /// Builds `lhs.contains(rhs)` where the sequence is an attempt to capture models.
  public static func build_contains<RHS, Models: Sequence>(
    _ lhs: _CapturedAttempt<Models>, _ rhs: RHS
  ) -> SequenceContains<_CapturedAttempt<[PersistentIdentifier]>, _ModelIdentifier<RHS>>
  where Models.Element: PersistentModel, RHS.Output == Models.Element {
    SequenceContains(
      sequence: _CapturedAttempt(lhs.value?.map(\.persistentModelID)), element: identifier(of: rhs))
  }
}

extension PredicateExpressions._CapturedAttempt {
  fileprivate func identifier() -> PredicateExpressions._CapturedAttempt<PersistentIdentifier>
  where Output: PersistentModel {
    PredicateExpressions._CapturedAttempt(value.map { $0.persistentModelID })
  }

  fileprivate func optionalIdentifier()
    -> PredicateExpressions._CapturedAttempt<PersistentIdentifier?> where Output: PersistentModel
  {
    let identifier: PersistentIdentifier?? = value.map { .some($0.persistentModelID) }
    return PredicateExpressions._CapturedAttempt(identifier)
  }

  fileprivate func optionalIdentifier<Model: PersistentModel>()
    -> PredicateExpressions._CapturedAttempt<PersistentIdentifier?> where Output == Model?
  {
    let identifier: PersistentIdentifier?? = value.map { $0?.persistentModelID }
    return PredicateExpressions._CapturedAttempt(identifier)
  }
}
