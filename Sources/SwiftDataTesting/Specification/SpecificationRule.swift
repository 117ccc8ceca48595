import SwiftData

/// One demand on stores, and the program that checks it.
struct Rule: Sendable {
  let name: String
  let level: StoreSpecification.Level
  /// What the rule demands, in one sentence.
  let demand: String
  /// The models of the rule; `nil` for those of its chapter.
  let models: [any PersistentModel.Type]?
  let body: @Sendable (Trial) throws -> Void

  init(
    _ name: String, _ level: StoreSpecification.Level, _ demand: String,
    models: [any PersistentModel.Type]? = nil, _ body: @escaping @Sendable (Trial) throws -> Void
  ) {
    self.name = name
    self.level = level
    self.demand = demand
    self.models = models
    self.body = body
  }
}

/// Rules about one subject, with the models that they need.
struct Chapter: Sendable {
  let name: String
  let models: [any PersistentModel.Type]
  let rules: [Rule]

  static let all: [Chapter] = [
    ModelRules.chapter, AttributeRules.chapter, RelationshipRules.chapter, DeleteRuleRules.chapter,
    PredicateRules.chapter, OrderRules.chapter, FetchRules.chapter, PendingChangeRules.chapter,
    InheritanceRules.chapter, UniquenessRules.chapter, ConcurrencyRules.chapter,
    FaultRules.chapter, PersistenceRules.chapter, ErasureRules.chapter, MigrationRules.chapter,
    HistoryRules.chapter,
  ]
}
