import OpenSwiftDataPostgresEngine
import OpenSwiftDataRowStorage
import SwiftData

/// Rows for the loops of the relational engine. Its functions for values cannot throw, so the first
/// error is kept, and thrown by the next step and by `check`.
final class PostgresCursor: RowCursor {
  private let rows: PostgresRows
  private var failure: (any Error)?

  init(_ rows: PostgresRows) {
    self.rows = rows
  }

  var columnCount: Int32 { Int32(rows.columnCount) }

  func step() throws -> Bool {
    try check()
    return try rows.next()
  }

  func check() throws {
    if let failure { throw failure }
  }

  func int64(_ column: Int32) -> Int64 {
    do {
      return try rows.integer(Int(column)) ?? 0
    } catch {
      failure = failure ?? error
      return 0
    }
  }

  func copyRow(
    into builder: inout RowBuilder, _ sources: ContiguousArray<CellSource>
  ) -> UnsafeRawPointer {
    do {
      return try rows.copyRow(into: &builder, sources)
    } catch {
      failure = failure ?? error
      // An empty row, which is discarded with the result.
      builder.begin()
      return builder.finishRow()
    }
  }
}
