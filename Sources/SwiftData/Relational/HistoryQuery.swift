import OpenSwiftDataSQLSyntax

/// A compiled request for transactions.
struct HistoryQuery {
  let compiled: CompiledFetch
  private let plans: StorePlans

  init(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, _ store: RelationalStore
  ) {
    plans = store.plans
    compiled = PredicateCompiler.compile(
      descriptor.predicate, sortBy: descriptor.sortBy, records: store.historyRecords,
      mapping: store.mapping, database: store.plans.database, storeIdentifier: store.identifier)
  }

  /// The numbers of the transactions that satisfy the condition, in their order.
  /// - Parameter limit: The maximum number; `nil` for all.
  func numbers(_ session: any SQLSession, limit: Int?) throws -> [Int64] {
    let range = RowRange(limit: limit == .max ? nil : limit, offset: 0)
    let key = RowColumns.key(of: CompiledFetch.Shape.rootAlias)
    var select = compiled.shape.select(
      [key], limit: range.limit == nil ? nil : .parameter(compiled.bindings.count))
    if select.order.isEmpty { select.order = [.key(key)] }
    return try session.statement(select.rendered(in: plans.dialect).sql)
      .integers(.fetch(compiled.bindings, range))
  }
}
