import OpenSwiftDataPostgresEngine
package import SwiftData

// How changed rows are sent: one or a few with a run of the statement for each, in one round trip; more
// as lists of the values of each column, which one statement joins with the table.

extension PostgresStatement {
  /// From this many rows on, lists are faster.
  private static let listedRows = 8
  /// The limits of a list: a unique value that is taken undoes all its rows, and they are written again.
  /// A row that is larger is sent alone, because lists copy their values.
  private static let rowsPerList = 1000
  private static let bytesPerList = 1 << 20

  package func run(
    _ count: Int, lists: String?, values: (Int) -> RowValues,
    result: (_ index: Int, _ changedRows: Int) -> Void
  ) throws {
    if count == 1 { return result(0, try run(.row(values(0)))) }
    guard count >= PostgresStatement.listedRows, let lists, connection.hasOpenTransaction else {
      return try runEach(0..<count, values, result)
    }
    var rest = 0..<count
    while !rest.isEmpty {
      let (done, found) = try runList(lists, rest, values)
      if let found {
        for index in done {
          let exists = values(index).trailingKey.map(found.contains) ?? false
          result(index, exists ? 1 : 0)
        }
      } else {
        try runEach(done, values, result)
      }
      rest = done.upperBound..<count
    }
  }

  private func runEach(
    _ indices: Range<Int>, _ values: (Int) -> RowValues,
    _ result: (_ index: Int, _ changedRows: Int) -> Void
  ) throws {
    try runBatch { send in
      for index in indices {
        try values(index).bind(to: self)
        try send()
      }
    } result: { index, done in
      result(indices.lowerBound + index, done.changedRows)
    }
  }

  /// Writes the first of some rows with one statement.
  /// - Returns: The rows, and the keys of those that exist; no keys if nothing was written, because the
  ///   first row is large, a unique index rejected a row, or columns have other types than the models.
  private func runList(
    _ sql: String, _ indices: Range<Int>, _ values: (Int) -> RowValues
  ) throws -> (indices: Range<Int>, found: Set<Int64>?) {
    let lists = try lists(of: indices, values)
    if lists.count == 0 { return (indices.prefix(1), nil) }
    let done = indices.prefix(lists.count)
    do {
      let found = try connection.savepoint("list") { () -> Set<Int64>? in
        let statement = try connection.prepare(sql)
        guard statement.takesLists(of: parameterTypes) else { return nil }
        try statement.parameters.bind(lists)
        return Set(try statement.integers())
      }
      return (done, found)
    } catch let error as PostgresError
      where error.isUniquenessViolation || error.state == .datatypeMismatch
    {
      return (done, nil)
    }
  }

  /// The values of the first of some rows, up to the limits of a list.
  private func lists(
    of indices: Range<Int>, _ values: (Int) -> RowValues
  ) throws -> ParameterLists {
    var lists = ParameterLists(columnCount: parameterTypes.count)
    defer { parameters.clear() }
    for index in indices.prefix(PostgresStatement.rowsPerList) {
      parameters.clear()
      try values(index).bind(to: self)
      if lists.size + parameters.size > PostgresStatement.bytesPerList { break }
      try described { try lists.append(parameters) }
    }
    return lists
  }

  package func integers(
    _ rows: Range<Int>, lists sql: String, values: (Int) -> RowValues
  ) throws -> ListedResult? {
    guard connection.hasOpenTransaction else { return nil }
    do {
      return try connection.savepoint("list") { () -> ListedResult? in
        let statement = try connection.prepare(sql)
        guard statement.takesLists(of: parameterTypes) else { return nil }
        let lists = try lists(of: rows, values)
        if lists.count == 0 { return ListedResult(count: 0, integers: []) }
        try statement.parameters.bind(lists)
        return ListedResult(count: lists.count, integers: try statement.integers())
      }
    } catch let error as PostgresError
      where error.state == .datatypeMismatch || error.state == .undefinedFunction
    {
      return nil
    }
  }

  private func takesLists(of types: [PostgresType]) -> Bool {
    parameterTypes.map(\.element) == types
  }
}
