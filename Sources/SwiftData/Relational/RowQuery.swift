import OpenSwiftDataSQLSyntax

/// A request for one store, compiled or found by its shape.
struct RowQuery {
  let entity: EntityMapping
  let rest: InMemoryRest
  /// Limit and offset of the statement. If a part is evaluated in memory: the first rows, or all.
  let range: RowRange
  /// Whether the first rows may be enough, because only the predicate is evaluated in memory.
  private let hasParts: Bool
  let parameters: SQLParameters
  private let limit: QueryShape.Limit
  /// The captured values.
  let bindings: [_StoredValue]
  private let plan: FetchPlan
  private let plans: StorePlans

  /// Contains the bindings of the request that was compiled; those of this request are in
  /// `parameters`.
  var compiled: CompiledFetch { plan.compiled }

  /// - Parameter readsPart: Whether only the first rows are read if a part is evaluated in memory.
  init<T: PersistentModel>(
    _ store: RelationalStore, _ descriptor: FetchDescriptor<T>, readsPart: Bool = false,
    holdsComposedText: Bool = false
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
    let isFilteredOnly = rest.needsFilter && !rest.needsSort
    let partCount = isFilteredOnly ? descriptor.range.firstCandidateCount : nil
    hasParts = partCount != nil
    range =
      rest.isEmpty ? descriptor.range : RowRange(limit: readsPart ? partCount : nil, offset: nil)
    self.bindings = bindings
    limit = plan.limit(of: range, writesLimits: plans.database.plansByLimits)
    parameters = .fetch(
      bindings, limit == .parameter ? range : RowRange(limit: nil, offset: range.offset))
  }

  /// Whether there may be more rows on which a part is evaluated in memory.
  func isPart(_ rows: FetchedRows) -> Bool {
    !rest.isEmpty && range.limit.map { rows.count >= $0 } ?? false
  }

  /// Up to this many rows at the beginning of an index are few.
  private static let fewRows = 256

  /// Whether an index leads to the rows, and there are few of them, so that to find them again is little work.
  /// With a limit that is not in the text, the server plans each run.
  var isFoundDirectly: Bool {
    guard rest.isEmpty, limit != .parameter else { return false }
    return switch compiled.reach {
    case .uniqueValues: true
    case .uniqueOrder: range.offset == 0 && range.limit.map { $0 <= RowQuery.fewRows } ?? false
    case .search: false
    }
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
    let key = FetchPlan.TextKey(purpose: purpose, limit: limit, hasOffset: range.offset > 0)
    return plan.text(key) {
      var shape = compiled.shape
      // In a database that moves rows, pages of rows without an order would overlap, and the rows of
      // keys without an order could not be read as ranges (`RowKeyRange`). The first rows and the keys of
      // all rows need one order in every database.
      if shape.order.isEmpty,
        hasParts || plans.dialect != .sqlite && (!range.isAll || purpose == .keys)
      {
        shape.order = [.key(RowColumns.key(of: CompiledFetch.Shape.rootAlias))]
      }
      if case .related = purpose, range.isAll { shape.order = [] }
      var next = compiled.bindings.count
      var limit: SQLExpression?
      switch key.limit {
      case .none: break
      case .written(let number): limit = .integer(Int64(number))
      case .parameter:
        limit = .parameter(next)
        next += 1
      }
      let query = QueryShape(
        purpose: purpose, shape: shape, limit: key.limit, hasOffset: key.hasOffset)
      return plans.text(of: query) {
        statement { columns in
          shape.select(columns, limit: limit, offset: key.hasOffset ? .parameter(next) : nil)
        }.rendered(in: plans.dialect).sql
      }
    }
  }
}
