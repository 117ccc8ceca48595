import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine

extension DefaultStore {
  package func places<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> FoundPlaces? {
    try answer(request.descriptor) { query, connection in
      // An order in memory needs rows, so they are asked for next.
      if !query.compiled.sortsInMemory {
        statementLog?.note(query.compiled, entity: query.entity.name)
      }
      var keys =
        plans.selection(of: query.entity).hasEntityNumber
        ? RowKeys(scopes: plans.scopes) : RowKeys(scope: plans.scope(number: query.entity.number))
      try readKeys(of: query, connection) { keys.append($0, entityNumber: $1) }
      return FoundPlaces(places: .keys(keys), rest: query.rest)
    }
  }

  /// Calls `body` with key and entity number of each row of a query.
  func readKeys(
    of query: Query, _ connection: Connection, _ body: (Int64, Int) -> Void
  ) throws {
    let selection = plans.selection(of: query.entity)
    let columns = Array(selection.columns.prefix(selection.hasEntityNumber ? 2 : 1))
    let statement = try connection.prepare(query.text(.keys, columns))
    try query.bind(to: statement)
    while try statement.step() {
      body(
        statement.int64(0),
        selection.hasEntityNumber ? Int(statement.int64(1)) : query.entity.number)
    }
  }

  package func rows(
    at places: FetchedPlaces, in range: Range<Int>, of descriptor: _ModelDescriptor,
    slots: Set<Int>?, _ editingState: EditingState
  ) throws -> FetchedRows {
    switch places {
    case .keys(let keys):
      try rows(withKeys: range.lazy.map { keys.rowKey(at: $0) }, of: descriptor, slots: slots)
    case .identifiers(let identifiers):
      try rows(
        withKeys: identifiers[range].lazy.compactMap { self.key(of: $0.resolved) },
        of: descriptor, slots: slots)
    }
  }

  /// The primary key of a row of this store.
  func key(of identifier: PersistentIdentifier) -> Int64? {
    identifier.storeIdentifier == self.identifier ? identifier.rowKey : nil
  }

  /// The rows with some keys, in their order, read by one statement; rows that are gone are left out.
  private func rows(
    withKeys keys: some Sequence<Int64>, of descriptor: _ModelDescriptor, slots: Set<Int>?
  ) throws -> FetchedRows {
    guard let entity = mapping.entity(named: descriptor.entityName) else { return .snapshots([]) }
    let selection = plans.selection(of: entity, slots: slots)
    var count = 0
    var list = "["
    for key in keys {
      if count > 0 { list.append(",") }
      list.append(String(key))
      count += 1
    }
    list.append("]")
    return try read { connection in
      let statement = try connection.prepare(selection.byKeys)
      try statement.bind(list, at: 1)
      let reading = RowReading(store: self, selection: selection)
      return slots == nil
        ? try reading.readAll(statement, count)
        : .partial(try reading.readPartial(statement, count))
    }
  }
}
