import CSQLite

/// One statement that ran to its end: its text without bound values, how long it took, and how many
/// rows it gave.
package struct StatementTrace: Sendable {
  package let sql: String
  package let duration: Duration
  package let rowCount: Int
}

extension Connection {
  /// Calls `body` after each statement; `nil` ends it.
  package func trace(_ body: ((StatementTrace) -> Void)?) {
    guard let body else {
      sqlite3_trace_v2(handle, 0, nil, nil)
      tracer = nil
      return
    }
    let tracer = Tracer(body)
    self.tracer = tracer
    sqlite3_trace_v2(
      handle, UInt32(SQLITE_TRACE_PROFILE | SQLITE_TRACE_ROW),
      { event, context, statement, detail in
        guard let context, let statement else { return 0 }
        Unmanaged<Tracer>.fromOpaque(context).takeUnretainedValue()
          .note(event, OpaquePointer(statement), detail)
        return 0
      }, Unmanaged.passUnretained(tracer).toOpaque())
  }
}

/// Counts rows by statement until SQLite tells that the statement is done.
final class Tracer {
  private let body: (StatementTrace) -> Void
  private var rows: [OpaquePointer: Int] = [:]

  init(_ body: @escaping (StatementTrace) -> Void) { self.body = body }

  func note(_ event: UInt32, _ statement: OpaquePointer, _ detail: UnsafeMutableRawPointer?) {
    if event == UInt32(SQLITE_TRACE_ROW) {
      rows[statement, default: 0] += 1
      return
    }
    let nanoseconds = detail?.load(as: Int64.self) ?? 0
    body(
      StatementTrace(
        sql: sqlite3_sql(statement).map { String(cString: $0) } ?? "",
        duration: .nanoseconds(nanoseconds), rowCount: rows.removeValue(forKey: statement) ?? 0))
  }
}
