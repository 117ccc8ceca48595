import OpenSwiftDataPostgresEngine
package import SwiftData

// How new rows are sent: a few with a run of the statement for each, in one round trip; many, or large
// ones, with COPY.

extension PostgresStatement {
  /// From this many rows on, COPY is faster in spite of its round trips.
  private static let copiedRows = 128
  /// A COPY has at most this many rows, because after a rejected one all of them are written again.
  private static let rowsPerCopy = 10_000
  /// From this size in bytes on, a row is sent in parts: libpq copies parameters.
  private static let largeRow = 1 << 20
  /// Rows that wait for the next statement of the transaction.
  private static let deferredRows = 4

  package func run(_ rows: RowWrites) throws {
    if try rows.count <= PostgresStatement.deferredRows && keep(rows, unlessLarge: canCopy(rows)) {
      return
    }
    guard let copy = try copyCommand(rows) else { return try sendRows(rows) }
    for part in rows.parts(ofRows: PostgresStatement.rowsPerCopy) {
      if try !copyRows(part, copy) { try sendRows(part) }
    }
  }

  /// An error of the server undoes all rows of the batch, so the rows before the rejected one are
  /// written again.
  package func runUntilRejected(_ rows: RowWrites) throws -> Int {
    do {
      try connection.savepoint("batch") { try run(rows) }
      return rows.count
    } catch let error as PostgresError where error.isUniquenessViolation {
      let count = error.rowIndex ?? 0
      try sendRows(rows, count: count)
      return count
    }
  }

  /// Mostly all rows are new, so they are sent without waiting for the results. If one is not, the rows
  /// of its part are written again, up to that one.
  package func runWhileChanging(_ rows: RowWrites) throws -> Int {
    guard let copy = try copyCommand(rows) else { return try sendWhileChanging(rows) }
    var count = 0
    for part in rows.parts(ofRows: PostgresStatement.rowsPerCopy) {
      if try copyRows(part, copy) {
        count += part.count
        continue
      }
      let changed = try sendWhileChanging(part)
      count += changed
      if changed < part.count { break }
    }
    return count
  }

  // MARK: One statement for each row

  private func sendRows(_ rows: RowWrites) throws {
    if rows.count <= PostgresStatement.deferredRows {
      _ = try keep(rows)
      return
    }
    try runBatch { send in
      _ = try rows.forEach(self) {
        try send()
        return true
      }
    }
  }

  /// Keeps a few rows until the next statement of the transaction.
  /// - Returns: Whether they are kept: not if the first one is large and the caller wants none of these.
  private func keep(_ rows: RowWrites, unlessLarge: Bool = false) throws -> Bool {
    var isLarge = unlessLarge
    parameters.clear()
    _ = try rows.forEach(self) {
      // The first row tells it.
      if isLarge { isLarge = parameters.size >= PostgresStatement.largeRow }
      if !isLarge { try runLater() }
      parameters.clear()
      return !isLarge
    }
    return !isLarge
  }

  private func sendWhileChanging(_ rows: RowWrites) throws -> Int {
    // Nothing follows a single row that would have to be undone.
    if rows.count == 1 {
      parameters.clear()
      return try rows.forEach(self) { try run() > 0 }
    }
    struct Unchanged: Error {
      let index: Int
    }
    do {
      var count = 0
      try connection.savepoint("batch") {
        try runBatch { send in
          _ = try rows.forEach(self) {
            try send()
            return true
          }
        } result: { index, result in
          if result.changedRows == 0 { throw Unchanged(index: index) }
          count = index + 1
        }
      }
      return count
    } catch let unchanged as Unchanged {
      try sendRows(rows, count: unchanged.index)
      return unchanged.index
    }
  }

  /// Sends the first rows only.
  private func sendRows(_ rows: RowWrites, count: Int) throws {
    if count == 0 { return }
    try runBatch { send in
      var rest = count
      _ = try rows.forEach(self) {
        if rest == 0 { return false }
        rest -= 1
        try send()
        return true
      }
    }
  }

  // MARK: COPY

  private struct CopyCommand {
    let sql: String
    let last: [Int64]
  }

  /// The command that inserts the rows together; `nil` if they are better sent one by one.
  private func copyCommand(_ rows: RowWrites) throws -> CopyCommand? {
    guard let bulk = rows.bulkInsert, canCopy(rows),
      try rows.count >= PostgresStatement.copiedRows || hasLargeRow(rows)
    else { return nil }
    let columns = bulk.columns.map(PostgresConnection.quoted).joined(separator: ", ")
    return CopyCommand(
      sql: "COPY \(PostgresConnection.quoted(bulk.table)) (\(columns)) FROM STDIN (FORMAT binary)",
      last: bulk.last)
  }

  private func canCopy(_ rows: RowWrites) -> Bool {
    rows.bulkInsert != nil && canCopy && connection.hasOpenTransaction
  }

  /// Whether the first row has large values.
  private func hasLargeRow(_ rows: RowWrites) throws -> Bool {
    parameters.clear()
    defer { parameters.clear() }
    var isLarge = false
    _ = try rows.forEach(self) {
      isLarge = parameters.size >= PostgresStatement.largeRow
      return false
    }
    return isLarge
  }

  /// - Returns: Whether the rows are written. If not, nothing has changed: a unique index rejected a
  ///   row, or the server does not copy into the table, as with row-level security.
  private func copyRows(_ rows: RowWrites, _ copy: CopyCommand) throws -> Bool {
    do {
      try connection.savepoint("copy") {
        try self.copy(copy.sql, last: copy.last) { send in
          _ = try rows.forEach(self) {
            try send()
            return true
          }
        }
      }
      return true
    } catch let error as PostgresError
      where error.isUniquenessViolation || error.state == .featureNotSupported
    {
      return false
    }
  }
}
