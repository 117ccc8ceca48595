public import Foundation

// The builders of `ModelComparison` for captured models whose computation may fail: `$0.folder ==
// folder!`.
extension PredicateExpressions {
  /// Builds `lhs == rhs` where `rhs` is an attempt to capture a model.
  public static func build_Equal<LHS, Model: PersistentModel>(
    lhs: LHS, rhs: CapturedAttempt<Model>
  ) -> Equal<ModelIdentifier<LHS>, CapturedAttempt<PersistentIdentifier>>
  where LHS.Output == Model {
    Equal(lhs: identifier(of: lhs), rhs: rhs.identifier())
  }

  /// Builds `lhs == rhs` where `lhs` is optional, and `rhs` is an attempt to capture a model.
  public static func build_Equal<LHS, Model: PersistentModel>(
    lhs: LHS, rhs: CapturedAttempt<Model>
  ) -> Equal<OptionalModelIdentifier<LHS, Model>, CapturedAttempt<PersistentIdentifier?>>
  where LHS.Output == Model? {
    Equal(lhs: optionalIdentifier(of: lhs), rhs: rhs.optionalIdentifier())
  }

  /// Builds `lhs == rhs` where `rhs` is an attempt to capture an optional model.
  public static func build_Equal<LHS, Model: PersistentModel>(
    lhs: LHS, rhs: CapturedAttempt<Model?>
  ) -> Equal<OptionalModelIdentifier<LHS, Model>, CapturedAttempt<PersistentIdentifier?>>
  where LHS.Output == Model? {
    Equal(lhs: optionalIdentifier(of: lhs), rhs: rhs.optionalIdentifier())
  }

  /// Builds `lhs == rhs` where `lhs` is an attempt to capture a model.
  public static func build_Equal<RHS, Model: PersistentModel>(
    lhs: CapturedAttempt<Model>, rhs: RHS
  ) -> Equal<CapturedAttempt<PersistentIdentifier>, ModelIdentifier<RHS>>
  where RHS.Output == Model {
    Equal(lhs: lhs.identifier(), rhs: identifier(of: rhs))
  }

  /// Builds `lhs == rhs` where `rhs` is optional, and `lhs` is an attempt to capture a model.
  public static func build_Equal<RHS, Model: PersistentModel>(
    lhs: CapturedAttempt<Model>, rhs: RHS
  ) -> Equal<CapturedAttempt<PersistentIdentifier?>, OptionalModelIdentifier<RHS, Model>>
  where RHS.Output == Model? {
    Equal(lhs: lhs.optionalIdentifier(), rhs: optionalIdentifier(of: rhs))
  }

  /// Builds `lhs == rhs` where `lhs` is an attempt to capture an optional model.
  public static func build_Equal<RHS, Model: PersistentModel>(
    lhs: CapturedAttempt<Model?>, rhs: RHS
  ) -> Equal<CapturedAttempt<PersistentIdentifier?>, OptionalModelIdentifier<RHS, Model>>
  where RHS.Output == Model? {
    Equal(lhs: lhs.optionalIdentifier(), rhs: optionalIdentifier(of: rhs))
  }

  /// Builds `lhs != rhs` where `rhs` is an attempt to capture a model.
  public static func build_NotEqual<LHS, Model: PersistentModel>(
    lhs: LHS, rhs: CapturedAttempt<Model>
  ) -> NotEqual<ModelIdentifier<LHS>, CapturedAttempt<PersistentIdentifier>>
  where LHS.Output == Model {
    NotEqual(lhs: identifier(of: lhs), rhs: rhs.identifier())
  }

  /// Builds `lhs != rhs` where `lhs` is optional, and `rhs` is an attempt to capture a model.
  public static func build_NotEqual<LHS, Model: PersistentModel>(
    lhs: LHS, rhs: CapturedAttempt<Model>
  ) -> NotEqual<OptionalModelIdentifier<LHS, Model>, CapturedAttempt<PersistentIdentifier?>>
  where LHS.Output == Model? {
    NotEqual(lhs: optionalIdentifier(of: lhs), rhs: rhs.optionalIdentifier())
  }

  /// Builds `lhs != rhs` where `rhs` is an attempt to capture an optional model.
  public static func build_NotEqual<LHS, Model: PersistentModel>(
    lhs: LHS, rhs: CapturedAttempt<Model?>
  ) -> NotEqual<OptionalModelIdentifier<LHS, Model>, CapturedAttempt<PersistentIdentifier?>>
  where LHS.Output == Model? {
    NotEqual(lhs: optionalIdentifier(of: lhs), rhs: rhs.optionalIdentifier())
  }

  /// Builds `lhs != rhs` where `lhs` is an attempt to capture a model.
  public static func build_NotEqual<RHS, Model: PersistentModel>(
    lhs: CapturedAttempt<Model>, rhs: RHS
  ) -> NotEqual<CapturedAttempt<PersistentIdentifier>, ModelIdentifier<RHS>>
  where RHS.Output == Model {
    NotEqual(lhs: lhs.identifier(), rhs: identifier(of: rhs))
  }

  /// Builds `lhs != rhs` where `rhs` is optional, and `lhs` is an attempt to capture a model.
  public static func build_NotEqual<RHS, Model: PersistentModel>(
    lhs: CapturedAttempt<Model>, rhs: RHS
  ) -> NotEqual<CapturedAttempt<PersistentIdentifier?>, OptionalModelIdentifier<RHS, Model>>
  where RHS.Output == Model? {
    NotEqual(lhs: lhs.optionalIdentifier(), rhs: optionalIdentifier(of: rhs))
  }

  /// Builds `lhs != rhs` where `lhs` is an attempt to capture an optional model.
  public static func build_NotEqual<RHS, Model: PersistentModel>(
    lhs: CapturedAttempt<Model?>, rhs: RHS
  ) -> NotEqual<CapturedAttempt<PersistentIdentifier?>, OptionalModelIdentifier<RHS, Model>>
  where RHS.Output == Model? {
    NotEqual(lhs: lhs.optionalIdentifier(), rhs: optionalIdentifier(of: rhs))
  }

  /// Builds `lhs.contains(rhs)` where the element is an attempt to capture a model.
  public static func build_contains<LHS, Model: PersistentModel>(
    _ lhs: LHS, _ rhs: CapturedAttempt<Model>
  ) -> SequenceContainsWhere<
    LHS, Equal<ModelIdentifier<Variable<Model>>, CapturedAttempt<PersistentIdentifier>>
  >
  where LHS.Output: Sequence, LHS.Output.Element == Model {
    SequenceContainsWhere(lhs) { build_Equal(lhs: $0, rhs: rhs) }
  }

  /// Builds `lhs.contains(rhs)` where the sequence is an attempt to capture models.
  public static func build_contains<RHS, Models: Sequence>(
    _ lhs: CapturedAttempt<Models>, _ rhs: RHS
  ) -> SequenceContains<CapturedAttempt<[PersistentIdentifier]>, ModelIdentifier<RHS>>
  where Models.Element: PersistentModel, RHS.Output == Models.Element {
    SequenceContains(
      sequence: CapturedAttempt(lhs.value?.map(\.persistentModelID)), element: identifier(of: rhs))
  }
}

extension PredicateExpressions.CapturedAttempt {
  fileprivate func identifier() -> PredicateExpressions.CapturedAttempt<PersistentIdentifier>
  where Output: PersistentModel {
    PredicateExpressions.CapturedAttempt(value.map { $0.persistentModelID })
  }

  fileprivate func optionalIdentifier()
    -> PredicateExpressions.CapturedAttempt<PersistentIdentifier?> where Output: PersistentModel
  {
    let identifier: PersistentIdentifier?? = value.map { .some($0.persistentModelID) }
    return PredicateExpressions.CapturedAttempt(identifier)
  }

  fileprivate func optionalIdentifier<Model: PersistentModel>()
    -> PredicateExpressions.CapturedAttempt<PersistentIdentifier?> where Output == Model?
  {
    let identifier: PersistentIdentifier?? = value.map { $0?.persistentModelID }
    return PredicateExpressions.CapturedAttempt(identifier)
  }
}
