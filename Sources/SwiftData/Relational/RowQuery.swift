import OpenSwiftDataSQLSyntax

/// A request for one store, compiled or found by its shape.
struct RowQuery {
  let entity: EntityMapping
  let rest: InMemoryRest
  /// Limit and offset of the statement; all rows if a part is evaluated in memory.
  let range: RowRange
  let parameters: SQLParameters
  /// The captured values.
  let bindings: [_StoredValue]
  private let plan: FetchPlan
  private let plans: StorePlans

  /// Contains the bindings of the request that was compiled; those of this request are in
  /// `parameters`.
  var compiled: CompiledFetch { plan.compiled }

  init<T: PersistentModel>(
    _ store: RelationalStore, _ descriptor: FetchDescriptor<T>, holdsComposedText: Bool = false
  ) throws {
    let entity = try store.entity(T._$descriptor)
    let plans = store.plans
    let (plan, bindings) = plans.fetches.plan(
      of: descriptor, entity: entity, forms: store.forms, holdsComposedText: holdsComposedText
    ) {
      PredicateCompiler.compile(
        descriptor.predicate, sortBy: descriptor.sortBy, entity: entity, mapping: store.mapping,
        database: plans.database, storeIdentifier: store.identifier, trees: store.trees,
        holdsComposedText: holdsComposedText)
    }
    self.entity = entity
    self.plan = plan
    self.plans = plans
    rest = InMemoryRest(
      needsFilter: plan.compiled.filtersInMemory, needsSort: plan.compiled.sortsInMemory,
      conditions: plan.compiled.remainder)
    range = rest.isEmpty ? descriptor.range : .all
    self.bindings = bindings
    parameters = .fetch(bindings, range)
  }

  /// The text of the query for some columns, rendered once per plan.
  func text(_ purpose: QueryShape.Purpose, _ columns: [SQLExpression]) -> String {
    let key = FetchPlan.TextKey(
      purpose: purpose, hasLimit: range.limit != nil, hasOffset: range.offset > 0)
    return plan.text(key) {
      var shape = compiled.shape
      // In a database that moves rows, pages of rows without an order would overlap, and the rows of
      // keys without an order could not be read as ranges (`RowKeyRange`).
      if shape.order.isEmpty, plans.dialect != .sqlite,
        key.hasLimit || key.hasOffset || purpose == .keys
      {
        shape.order = [.key(RowColumns.key(of: CompiledFetch.Shape.rootAlias))]
      }
      let next = compiled.bindings.count
      let query = QueryShape(
        purpose: purpose, shape: shape, hasLimit: key.hasLimit, hasOffset: key.hasOffset)
      return plans.text(of: query) {
        shape.select(
          columns, limit: key.hasLimit ? .parameter(next) : nil,
          offset: key.hasOffset ? .parameter(key.hasLimit ? next + 1 : next) : nil
        ).rendered(in: plans.dialect).sql
      }
    }
  }
}
