import OpenSwiftDataSQLSyntax

/// Fetches of rows and of keys.
///
/// A request is compiled (`Query`), its text is found or rendered (`StorePlans`), the driver binds what was
/// captured and copies the rows into pages. What SQL could not say comes back as `InMemoryRest`.
extension RelationalStore {
  package func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> PartialFetchResult {
    try answer(descriptor) { query, session in
      noteCompiled?(query.compiled, query.entity.name)
      // What is judged in memory may read any property.
      let readsAll = descriptor.propertiesToFetch.isEmpty || !query.rest.isEmpty
      let slots = readsAll ? nil : descriptor.slotsToFetch
      let selection = plans.selection(of: query.entity, slots: slots)
      let statement = try session.statement(
        query.text(slots.map { .partialRows($0) } ?? .rows, selection.columns))
      var reading = reading(selection, limit: query.range.limit)
      reading.isPartial = slots != nil
      return PartialFetchResult(
        rows: try statement.rows(query.parameters, reading).rows, rest: query.rest)
    }
  }

  /// - Throws: `DataStoreError.preferInMemoryFilter` for a predicate that SQL can't answer whole, or
  ///   the database's error.
  package func count<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    let range = descriptor.range
    var descriptor = descriptor
    descriptor.sortBy = []
    (descriptor.fetchLimit, descriptor.fetchOffset) = (nil, nil)
    let all = try answer(descriptor) { query, session in
      if query.compiled.filtersInMemory { throw DataStoreError.preferInMemoryFilter }
      let statement = try session.statement(query.text(.count, [.function("count", [.star])]))
      return try statement.integer(query.parameters) ?? 0
    }
    return range.count(of: Int(all))
  }

  package func keys<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> FetchedKeys {
    try answer(descriptor) { query, session in
      // An order in memory needs rows, so they are asked for next.
      if !query.compiled.sortsInMemory { noteCompiled?(query.compiled, query.entity.name) }
      let selection = plans.selection(of: query.entity)
      var keys =
        selection.hasEntityNumber
        ? RowKeys(scopes: plans.scopes) : RowKeys(scope: plans.scope(number: query.entity.number))
      let statement = try session.statement(query.text(.keys, selection.keyColumns))
      try statement.keys(query.parameters, into: &keys)
      return FetchedKeys(keys: keys, rest: query.rest)
    }
  }

  /// The rows with some keys, in their order.
  package func rows(
    of descriptor: _ModelDescriptor, withKeys keys: some Collection<Int64>, slots: Set<Int>?
  ) throws -> FetchedRows {
    guard let entity = mapping.entity(named: descriptor.entityName) else { return .snapshots([]) }
    let selection = plans.selection(of: entity, slots: slots)
    var reading = reading(selection, limit: keys.count)
    reading.isPartial = slots != nil
    let list = driver.dialect.list(keys)
    return try driver.read { session in
      try session.statement(selection.byKeys).rows(.list(list), reading).rows
    }
  }

  /// Compiles a request and lends a session to run it on.
  func answer<T: PersistentModel, R>(
    _ descriptor: FetchDescriptor<T>, _ body: (Query, any SQLSession) throws -> R
  ) throws -> R {
    let query = try Query(self, descriptor)
    let columns = query.compiled.orderedText
    if columns.isEmpty { return try driver.read { try body(query, $0) } }
    return try driver.read { session in
      // What was learnt about the text has to hold for the rows that are read.
      try session.snapshot {
        guard try composedText.fills(columns, of: query.entity.table, session, driver.capabilities)
        else { return try body(query, session) }
        return try body(Query(self, descriptor, holdsComposedText: true), session)
      }
    }
  }
}
