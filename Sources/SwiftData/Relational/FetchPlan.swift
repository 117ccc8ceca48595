import OpenSwiftDataSQLSyntax
import Synchronization

/// A compiled request. It contains the bindings of the request that was compiled.
final class FetchPlan: Sendable {
  let compiled: CompiledFetch
  /// For each binding, the index of the captured value that it comes from.
  private let sources: [Int]
  /// A plan has few texts, so comparing keys is faster than hashing them.
  private let texts = Mutex<[(key: TextKey, text: String)]>([])
  /// Whether the plan is that of all requests of one shape.
  private let isKept: Bool
  /// The limits that texts contain.
  private let writtenLimits = Mutex<[Int]>([])

  /// What the text depends on besides the plan.
  struct TextKey: Equatable {
    let purpose: QueryShape.Purpose
    let limit: QueryShape.Limit
    let hasOffset: Bool
  }

  /// Makes a plan for one request.
  init(_ compiled: CompiledFetch) {
    self.compiled = compiled
    sources = []
    isKept = false
  }

  /// Makes a plan for all requests of one shape; `nil` if the SQL depends on more than the shape.
  /// - Parameter values: The captured values of the compiled request.
  init?(_ compiled: CompiledFetch, capturing values: [_StoredValue]) {
    guard compiled.dependsOnShapeOnly, !compiled.filtersInMemory else { return nil }
    var sources: [Int] = []
    for binding in compiled.bindings {
      // Of several equal values any can be used: they are equal in every request of the shape.
      guard let index = values.firstIndex(of: binding) else { return nil }
      sources.append(index)
    }
    self.compiled = compiled
    self.sources = sources
    isKept = true
  }

  /// How texts contain the limit of a request.
  /// - Parameter writesLimits: Whether the database plans a statement better if it knows the limit. Then the first
  ///   limits of a plan, which are mostly all, are part of texts. Each makes another statement.
  func limit(of range: RowRange, writesLimits: Bool) -> QueryShape.Limit {
    guard let limit = range.limit else { return .none }
    // The database would not know the offset either.
    guard writesLimits, isKept, range.offset == 0 else { return .parameter }
    return writtenLimits.withLock { limits in
      if limits.contains(limit) { return .written(limit) }
      if limits.count == FetchPlan.writtenLimitCount { return .parameter }
      limits.append(limit)
      return .written(limit)
    }
  }

  private static let writtenLimitCount = 4

  func bindings(_ values: [_StoredValue]) -> [_StoredValue] { sources.map { values[$0] } }

  func text(_ key: TextKey, _ render: () -> String) -> String {
    if let known = texts.withLock({ $0.first { $0.key == key }?.text }) { return known }
    let text = render()
    texts.withLock { texts in
      if texts.count >= 32 { texts.removeAll() }
      texts.append((key, text))
    }
    return text
  }
}

/// The plans of a store, by the shape of requests.
final class FetchPlans: Sendable {
  struct Key: Hashable {
    let entity: Int
    let holdsComposedText: Bool
    let shape: PredicateShape
  }

  private let plans = BoundedMemo<Key, FetchPlan>()
  private let compilations = Atomic(0)

  /// The number of compilations, because a shape was new or the SQL depends on values.
  var compiledCount: Int { compilations.load(ordering: .relaxed) }

  /// The plan of a request, found by its shape or compiled, and the values to bind.
  func plan<T: PersistentModel>(
    of descriptor: FetchDescriptor<T>, entity: EntityMapping, forms: StoredForms,
    holdsComposedText: Bool, compile: () -> CompiledFetch
  ) -> (plan: FetchPlan, bindings: [_StoredValue]) {
    var collector = ShapeCollector(forms)
    if let predicate = descriptor.predicate { collector.add(predicate) }
    if descriptor.sortBy.hasElements { collector.add(order: descriptor.sortBy) }
    guard collector.isComplete else {
      compilations.add(1, ordering: .relaxed)
      let compiled = compile()
      return (FetchPlan(compiled), compiled.bindings)
    }
    let key = Key(
      entity: entity.number, holdsComposedText: holdsComposedText, shape: collector.shape)
    if let known = plans[key] { return (known, known.bindings(collector.values)) }
    compilations.add(1, ordering: .relaxed)
    let compiled = compile()
    guard let plan = FetchPlan(compiled, capturing: collector.values) else {
      return (FetchPlan(compiled), compiled.bindings)
    }
    plans.store(plan, for: key)
    return (plan, compiled.bindings)
  }
}
