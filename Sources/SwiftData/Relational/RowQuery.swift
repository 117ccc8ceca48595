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

  /// Whether an index leads to the rows, and there are few of them, so that to find them again is little work.
  var isFoundDirectly: Bool {
    rest.isEmpty && compiled.shape.joins.isEmpty
      && QueryPlan(mapping: plans.mapping, from: compiled.shape.from.name, joins: [])
        .findsDirectly(compiled.shape.condition, order: compiled.shape.order, in: range)
  }

  /// The text of the query for some columns, rendered once per plan.
  func text(_ purpose: QueryShape.Purpose, _ columns: [SQLExpression]) -> String {
    text(purpose) { $0(columns) }
  }

  /// The text of a statement that contains the query, rendered once per plan.
  /// - Parameter statement: Makes the statement. The closure that it gets makes the query for some columns.
  func text(
    _ purpose: QueryShape.Purpose, _ statement: ((_ columns: [SQLExpression]) -> Select) -> Select
  ) -> String {
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
      if case .related = purpose, !key.hasLimit, !key.hasOffset { shape.order = [] }
      let next = compiled.bindings.count
      let query = QueryShape(
        purpose: purpose, shape: shape, hasLimit: key.hasLimit, hasOffset: key.hasOffset)
      return plans.text(of: query) {
        statement { columns in
          shape.select(
            columns, limit: key.hasLimit ? .parameter(next) : nil,
            offset: key.hasOffset ? .parameter(key.hasLimit ? next + 1 : next) : nil)
        }.rendered(in: plans.dialect).sql
      }
    }
  }
}
