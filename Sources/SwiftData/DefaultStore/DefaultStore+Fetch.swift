import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine

extension DefaultStore {
  /// The rows of a request.
  /// - Throws: `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort` for a request that
  ///   SQL can't answer whole, or `SwiftDataError.storeReadFailure`.
  public func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, Snapshot> where T: PersistentModel {
    var whole = request.descriptor
    whole.propertiesToFetch = []
    let result = try rows(
      of: DataStoreFetchRequest(descriptor: whole, editingState: request.editingState))
    if result.rest.needsFilter { throw DataStoreError.preferInMemoryFilter }
    if result.rest.needsSort { throw DataStoreError.preferInMemorySort }
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: result.rows.snapshots)
  }

  package func rows<T: PersistentModel>(
    of request: DataStoreFetchRequest<T>
  ) throws -> FetchedModels {
    try answer(request.descriptor) { query, connection in
      statementLog?.note(query.compiled, entity: query.entity.name)
      // What is judged in memory may read any property.
      let readsAll = request.descriptor.propertiesToFetch.isEmpty || !query.rest.isEmpty
      let slots = readsAll ? nil : request.descriptor.slotsToFetch
      let selection = plans.selection(of: query.entity, slots: slots)
      let statement = try connection.prepare(
        query.text(slots.map { .partialRows($0) } ?? .rows, selection.columns))
      try query.bind(to: statement)
      let reading = RowReading(store: self, selection: selection)
      let rows =
        slots == nil
        ? try reading.readAll(statement, query.limit)
        : .partial(try reading.readPartial(statement, query.limit))
      return FetchedModels(rows: rows, rest: query.rest)
    }
  }

  /// The number of rows of a request.
  /// - Throws: `DataStoreError.preferInMemoryFilter` for a predicate that SQL can't answer whole, or
  ///   `SwiftDataError.storeReadFailure`.
  public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int
  where T: PersistentModel {
    guard let count = try count(request) else { throw DataStoreError.preferInMemoryFilter }
    return count
  }

  package func count<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int? {
    var descriptor = request.descriptor
    descriptor.sortBy = []
    let counted: Int? = try answer(descriptor) { query, connection in
      if query.compiled.filtersInMemory { return nil }
      let statement = try connection.prepare(query.text(.count, [.function("count", [.star])]))
      try query.bindValues(to: statement)
      return try statement.step() ? Int(statement.int64(0)) : 0
    }
    guard let all = counted else { return nil }
    let rest = max(0, all - max(0, request.descriptor.fetchOffset ?? 0))
    guard let limit = request.descriptor.fetchLimit, limit > 0 else { return rest }
    return min(rest, limit)
  }

  /// The identifiers of the rows of a request.
  /// - Throws: `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort` for a request that
  ///   SQL can't answer whole, or `SwiftDataError.storeReadFailure`.
  public func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    guard let found = try places(request) else { return [] }
    if found.rest.needsFilter { throw DataStoreError.preferInMemoryFilter }
    if found.rest.needsSort { throw DataStoreError.preferInMemorySort }
    return found.places.identifiers
  }

  /// Compiles a request and lends a connection to run it on.
  func answer<T, R>(
    _ descriptor: FetchDescriptor<T>, _ body: (Query, Connection) throws -> R
  ) throws -> R {
    let query = try Query(self, descriptor)
    let columns = query.compiled.orderedText
    if columns.isEmpty { return try read { try body(query, $0) } }
    return try read { connection in
      // What was learnt about the text has to hold for the rows that are read.
      try connection.snapshot {
        guard try composedText.fills(columns, of: query.entity.table, connection) else {
          return try body(query, connection)
        }
        return try body(Query(self, descriptor, holdsComposedText: true), connection)
      }
    }
  }

  func read<R>(_ body: (Connection) throws -> R) throws -> R {
    do {
      return try pool.read(body)
    } catch let error as SQLiteError {
      throw StoreFailure.reading(error, mapping: mapping, at: configuration.url)
    }
  }

  /// - Parameter consequence: What did not happen when it throws.
  func write<R>(
    else consequence: String = "nothing of this save was stored",
    _ body: (Connection) throws -> R
  ) throws -> R {
    try translatingWriteErrors(else: consequence) { try pool.write(body) }
  }

  /// Errors of the database in the words of the model.
  func translatingWriteErrors<R>(
    else consequence: String = "nothing of this save was stored", _ body: () throws -> R
  ) throws -> R {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw StoreFailure.writing(
        error, consequence: consequence, mapping: mapping, at: configuration.url)
    }
  }
}

/// A request compiled for one store.
struct Query {
  let entity: EntityMapping
  let compiled: CompiledFetch
  let plans: StorePlans
  let rest: InMemoryRest
  let limit: Int?
  let offset: Int

  init<T: PersistentModel>(
    _ store: DefaultStore, _ descriptor: FetchDescriptor<T>, holdsComposedText: Bool = false
  ) throws {
    guard let entity = store.mapping.entity(named: T._$descriptor.entityName) else {
      throw SwiftDataError.notKept(entity: T._$descriptor.entityName, by: store.name)
    }
    self.entity = entity
    plans = store.plans
    compiled = PredicateCompiler.compile(
      descriptor.predicate, sortBy: descriptor.sortBy, entity: entity, mapping: store.mapping,
      storeIdentifier: store.identifier, trees: store.file.trees,
      holdsComposedText: holdsComposedText)
    let wanted = descriptor.fetchLimit.flatMap { $0 > 0 ? $0 : nil }
    rest = InMemoryRest(
      needsFilter: compiled.filtersInMemory, needsSort: compiled.sortsInMemory,
      conditions: compiled.remainder)
    let isWhole = rest.isEmpty
    limit = isWhole ? wanted : nil
    offset = isWhole ? max(0, descriptor.fetchOffset ?? 0) : 0
  }

  private var isSliced: Bool { limit != nil || offset > 0 }

  func text(_ purpose: QueryShape.Purpose, _ columns: [SQLExpression]) -> String {
    let shape = compiled.shape
    let slices = isSliced && purpose != .count
    let next = compiled.bindings.count
    return plans.text(of: QueryShape(purpose: purpose, shape: shape, hasLimit: slices)) {
      shape.select(
        columns, limit: slices ? .parameter(next) : nil,
        offset: slices ? .parameter(next + 1) : nil
      ).rendered().sql
    }
  }

  func bindValues(to statement: Statement) throws {
    for (index, value) in compiled.bindings.enumerated() {
      try statement.bind(value, at: Int32(index + 1))
    }
  }

  /// Binds the captured values and, for rows and keys, limit and offset.
  func bind(to statement: Statement) throws {
    try bindValues(to: statement)
    guard isSliced else { return }
    let next = Int32(compiled.bindings.count + 1)
    try statement.bind(Int64(limit ?? -1), at: next)
    try statement.bind(Int64(offset), at: next + 1)
  }
}

extension Statement {
  func bind(_ value: _StoredValue, at index: Int32) throws {
    switch value {
    case .null: try bindNull(at: index)
    case .integer(let value): try bind(value, at: index)
    case .real(let value): try bind(value, at: index)
    case .text(let value): try bind(value, at: index)
    case .blob(let value): try bind(value, at: index)
    }
  }
}
