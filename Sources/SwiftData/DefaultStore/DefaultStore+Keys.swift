import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine

extension DefaultStore: KeyedFetching {
  package func fetchKeys<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> FetchedKeys {
    try answer(request.descriptor) { query, connection in
      // An order in memory needs rows, so they are asked for next.
      if !query.compiled.sortsInMemory {
        statementLog?.note(query.compiled, entity: query.entity.name)
      }
      var keys =
        plans.selection(of: query.entity).hasEntityNumber
        ? RowKeys(scopes: plans.scopes) : RowKeys(scope: plans.scope(number: query.entity.number))
      try readKeys(of: query, connection) { keys.append($0, entityNumber: $1) }
      return FetchedKeys(keys: keys, rest: query.rest)
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
    of descriptor: _ModelDescriptor, withKeys keys: some Collection<Int64>, slots: Set<Int>?
  ) throws -> FetchedRows {
    guard let entity = mapping.entity(named: descriptor.entityName) else { return .snapshots([]) }
    let selection = plans.selection(of: entity, slots: slots)
    var list = "["
    for key in keys {
      if list.utf8.count > 1 { list.append(",") }
      list.append(String(key))
    }
    list.append("]")
    return try read { connection in
      let statement = try connection.prepare(selection.byKeys)
      try statement.bind(list, at: 1)
      let reading = RowReading(store: self, selection: selection)
      return slots == nil
        ? try reading.readAll(statement, keys.count)
        : .partial(try reading.readPartial(statement, keys.count))
    }
  }
}
