import OpenSwiftDataSQLSyntax
import Synchronization

/// Fetches rows and keys.
///
/// A request is compiled (`RowQuery`), and its text is found or rendered (`StorePlans`). The driver
/// binds the captured values and copies the rows into pages. What SQL cannot evaluate is returned
/// as `InMemoryRest`.
extension RelationalStore {
  package func rows<T: PersistentModel>(
    of request: DataStoreFetchRequest<T>
  ) throws -> FetchedModels {
    try answer(request, readsPart: true) { query, session in
      noteMemory(query)
      let read = rowsRead(query, request.descriptor)
      let rows = try session.statement(read.sql).rows(read.parameters, read.reading).rows
        .seen(in: session.state)
      return FetchedModels(rows: rows, rest: query.rest, isPart: query.isPart(rows))
    }
  }

  package func rows<T: PersistentModel>(
    of request: DataStoreFetchRequest<T>, leadingTo slots: [Int]
  ) throws -> FetchedModels {
    guard readsRelatedModelsTogether else { return try rows(of: request) }
    return try answer(request, readsPart: true) { query, session in
      noteMemory(query)
      let related = query.isFoundDirectly ? relatedReads(query, slots) : []
      var answers = try session.rows(
        of: [rowsRead(query, request.descriptor)] + related.map(\.read))[...]
      let rows = answers.removeFirst().rows
      let ahead = Dictionary(uniqueKeysWithValues: zip(related.map(\.slot), answers))
      return FetchedModels(
        rows: rows, rest: query.rest, isPart: query.isPart(rows), ahead: readAhead(ahead))
    }
  }

  private func rowsRead<T: PersistentModel>(
    _ query: RowQuery, _ descriptor: FetchDescriptor<T>
  ) -> SQLRead {
    // Evaluation in memory may read any property.
    let readsAll = !descriptor.propertiesToFetch.hasElements || !query.rest.isEmpty
    let slots = readsAll ? nil : descriptor.slotsToFetch
    let selection = plans.selection(of: query.entity, slots: slots)
    var reading = reading(selection, limit: query.range.limit)
    reading.isPartial = slots != nil
    return SQLRead(
      sql: query.text(slots.map { .partialRows($0) } ?? .rows, selection.columns),
      parameters: query.parameters, reading: reading)
  }

  package func count<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int? {
    let range = request.descriptor.range
    var descriptor = request.descriptor
    descriptor.sortBy = []
    (descriptor.fetchLimit, descriptor.fetchOffset) = (nil, nil)
    let unlimited = DataStoreFetchRequest(
      descriptor: descriptor, editingState: request.editingState)
    let all: Int64? = try answer(unlimited) { query, session in
      if query.compiled.filtersInMemory { return nil }
      let statement = try session.statement(query.text(.count, [.function("count", [.star])]))
      return try statement.integer(query.parameters) ?? 0
    }
    return all.map { range.count(of: Int($0)) }
  }

  package func identifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> FoundIdentifiers? {
    try answer(request) { query, session in
      // Sorting in memory needs rows, so the caller requests those next.
      if !query.compiled.sortsInMemory { noteMemory(query) }
      return FoundIdentifiers(identifiers: try keys(query, session), rest: query.rest)
    }
  }

  package func candidates<T: PersistentModel>(
    of request: DataStoreFetchRequest<T>
  ) throws -> FetchedIdentifiers { try answer(request, keys) }

  private func keys(_ query: RowQuery, _ session: any SQLSession) throws -> FetchedIdentifiers {
    let selection = plans.selection(of: query.entity)
    var keys =
      selection.hasEntityNumber
      ? RowKeys(scopes: plans.scopes) : RowKeys(scope: plans.scope(number: query.entity.number))
    let statement = try session.statement(query.text(.keys, selection.keyColumns))
    try statement.keys(query.parameters, into: &keys)
    return .keys(keys)
  }

  package func rows(
    at identifiers: FetchedIdentifiers, in range: Range<Int>, of descriptor: _ModelDescriptor,
    slots: Set<Int>?, _ editingState: EditingState
  ) throws -> FetchedRows {
    switch identifiers {
    case .keys(let keys):
      try rows(
        of: descriptor, withKeys: range.map { keys.rowKey(at: $0) }, slots: slots, editingState)
    case .identifiers(let identifiers):
      try rows(
        of: descriptor, withKeys: identifiers[range].compactMap { key(of: $0.resolved) },
        slots: slots, editingState)
    }
  }

  private func noteMemory(_ query: RowQuery) {
    guard let log, !query.rest.isEmpty else { return }
    let order = query.compiled.sortsInMemory ? ["the order"] : []
    log.note(entity: query.entity.name, reasons: query.compiled.unsupported + order)
  }

  package func snapshot<R>(
    for reader: EditingState, _ use: SnapshotUse, canRepeat: () -> Bool, _ body: () throws -> R
  ) throws -> R {
    try driver.snapshot(for: reader.owner, canRepeat: canRepeat) {
      guard use == .readsOfContext else { return try body() }
      let session = try driver.read(for: reader.owner) { ObjectIdentifier($0) }
      let isFirst = openSnapshots.withLock { snapshots in
        if snapshots[session] != nil { return false }
        snapshots[session] = reader.owner
        return true
      }
      defer { if isFirst { openSnapshots.withLock { _ = $0.removeValue(forKey: session) } } }
      return try body()
    }
  }

  /// A read transaction sees the state at its first statement.
  package func beginReading(for reader: EditingState) throws {
    _ = try driver.read(for: reader.owner) {
      try $0.statement(plans.keys.last).integer(.integer(0))
    }
  }

  package func state(for reader: EditingState) throws -> StoreState? {
    try driver.read(for: reader.owner) { $0.state }
  }

  /// The primary key, if the identifier belongs to this store.
  func key(of identifier: PersistentIdentifier) -> Int64? {
    identifier.storeIdentifier == self.identifier ? identifier.rowKey : nil
  }

  /// The rows with some keys, in the order of the keys.
  private func rows(
    of descriptor: _ModelDescriptor, withKeys keys: some Collection<Int64>, slots: Set<Int>?,
    _ reader: EditingState
  ) throws -> FetchedRows {
    guard let read = rowsRead(of: descriptor, withKeys: keys, slots: slots) else {
      return .snapshots([])
    }
    return try driver.read(for: reader.owner) { session in
      try session.statement(read.sql).rows(read.parameters, read.reading).rows
        .seen(in: session.state)
    }
  }

  /// Reads the rows with some keys, in the order of the keys; `nil` if the store has no such rows.
  func rowsRead(
    of descriptor: _ModelDescriptor, withKeys keys: some Collection<Int64>, slots: Set<Int>?
  ) -> SQLRead? {
    guard let entity = mapping.entity(named: descriptor.entityName) else { return nil }
    let selection = plans.selection(of: entity, slots: slots)
    var reading = reading(selection, limit: keys.count)
    reading.isPartial = slots != nil
    if keys.count == 1, let key = keys.first {
      return SQLRead(sql: selection.byOnlyKey, parameters: .integer(key), reading: reading)
    }
    if let range = RowKeyRange(keys) {
      reading.range = range
      return SQLRead(
        sql: selection.byRange, parameters: .pair(range.first, range.last), reading: reading)
    }
    let list = driver.dialect.list(Array(keys))
    return SQLRead(sql: selection.byKeys, parameters: .list(list), reading: reading)
  }

  /// Compiles a request and calls `body` with a session to run it on.
  /// - Parameter readsPart: Whether only the first rows are read if a part is evaluated in memory.
  func answer<T: PersistentModel, R>(
    _ request: DataStoreFetchRequest<T>, readsPart: Bool = false,
    _ body: (RowQuery, any SQLSession) throws -> R
  ) throws -> R {
    let (descriptor, reader) = (request.descriptor, request.editingState.owner)
    let query = try RowQuery(self, descriptor, readsPart: readsPart)
    let columns = query.compiled.orderedText
    // Without reports of changes nothing is known about the text, so nothing is asked.
    if columns.isEmpty || !driver.capabilities.reportsChanges {
      return try driver.read(for: reader) { try body(query, $0) }
    }
    return try driver.read(for: reader) { session in
      // What is known about the text must hold for the rows that are read.
      try session.snapshot {
        guard try composedText.fills(columns, of: query.entity.table, session, driver)
        else { return try body(query, session) }
        return try body(
          RowQuery(self, descriptor, readsPart: readsPart, holdsComposedText: true), session)
      }
    }
  }
}
