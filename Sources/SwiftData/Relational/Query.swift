import OpenSwiftDataSQLSyntax

/// A request compiled for one store.
struct Query {
  let entity: EntityMapping
  let compiled: CompiledFetch
  let rest: InMemoryRest
  /// What the statement takes of the rows; all of them where something is left to memory.
  let range: RowRange
  private let plans: StorePlans

  init<T: PersistentModel>(
    _ store: RelationalStore, _ descriptor: FetchDescriptor<T>, holdsComposedText: Bool = false
  ) throws {
    entity = try store.entity(T._$descriptor)
    plans = store.plans
    compiled = PredicateCompiler.compile(
      descriptor.predicate, sortBy: descriptor.sortBy, entity: entity, mapping: store.mapping,
      database: plans.database, storeIdentifier: store.identifier, trees: store.trees,
      holdsComposedText: holdsComposedText)
    rest = InMemoryRest(
      needsFilter: compiled.filtersInMemory, needsSort: compiled.sortsInMemory,
      conditions: compiled.remainder)
    range = rest.isEmpty ? descriptor.range : .all
  }

  /// The text of the query for some columns, rendered once per shape.
  func text(_ purpose: QueryShape.Purpose, _ columns: [SQLExpression]) -> String {
    let shape = compiled.shape
    let next = compiled.bindings.count
    let query = QueryShape(
      purpose: purpose, shape: shape, hasLimit: range.limit != nil, hasOffset: range.offset > 0)
    return plans.text(of: query) {
      shape.select(
        columns, limit: query.hasLimit ? .parameter(next) : nil,
        offset: query.hasOffset ? .parameter(query.hasLimit ? next + 1 : next) : nil
      ).rendered(in: plans.database.dialect).sql
    }
  }

  var parameters: SQLParameters { .fetch(compiled.bindings, range) }
}
