import OpenSwiftDataCSQLite
import Foundation

/// A statement that has finished, or failed: its text without bound values, its duration, and the number of
/// rows that it returned.
package struct StatementTrace: Sendable {
  package let sql: String
  package let duration: Duration
  package let rowCount: Int
  /// The text with the bound values, if it was requested.
  package let expandedSQL: String?
  /// SQLite's name of the result code with which the statement failed.
  package internal(set) var failure: String?
}

extension Connection {
  /// Calls `body` after each statement; `nil` stops tracing.
  package func trace(includesValues: Bool = false, _ body: ((StatementTrace) -> Void)?) {
    guard let body else {
      sqlite3_trace_v2(handle, 0, nil, nil)
      tracer = nil
      return
    }
    let tracer = Tracer(includesValues: includesValues, body)
    self.tracer = tracer
    sqlite3_trace_v2(
      handle, UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE | SQLITE_TRACE_ROW),
      { event, context, statement, detail in
        guard let context, let statement else { return 0 }
        Unmanaged<Tracer>.fromOpaque(context).takeUnretainedValue()
          .note(event, OpaquePointer(statement), detail)
        return 0
      }, Unmanaged.passUnretained(tracer).toOpaque())
  }
}

/// Counts rows by statement until SQLite reports the end of the statement.
///
/// SQLite reports it before the function returns that has run or reset the statement, and without the result. So the
/// report waits for `didEnd`. A statement that is reset after some of its rows has not failed.
@usableFromInline
final class Tracer {
  private let body: (StatementTrace) -> Void
  private var rows: [OpaquePointer: Int] = [:]
  /// When statements began; the duration that SQLite reports is in whole milliseconds.
  private var starts: [OpaquePointer: ContinuousClock.Instant] = [:]

  /// The statement whose result is not known yet.
  private var ended: StatementTrace?

  private let includesValues: Bool

  init(includesValues: Bool, _ body: @escaping (StatementTrace) -> Void) {
    self.includesValues = includesValues
    self.body = body
  }

  /// Reports the statement that has ended, if any.
  /// - Parameter code: The result of the function that has run or reset it.
  @usableFromInline
  func didEnd(_ code: Int32) {
    guard var trace = ended else { return }
    ended = nil
    if code != SQLITE_DONE, code != SQLITE_OK {
      trace.failure = "\(ResultCode(rawValue: code))"
    }
    body(trace)
  }

  /// Reports a statement that can't be prepared, so that it has not begun.
  /// - Parameter sql: Its text, with that of the statements after it.
  func didFail(preparing sql: String, _ code: Int32, since start: ContinuousClock.Instant?) {
    didEnd(SQLITE_DONE)
    body(
      StatementTrace(
        sql: sql, duration: start.map { .now - $0 } ?? .zero, rowCount: 0,
        expandedSQL: includesValues ? sql : nil, failure: "\(ResultCode(rawValue: code))"))
  }

  func note(_ event: UInt32, _ statement: OpaquePointer, _ detail: UnsafeMutableRawPointer?) {
    // Another statement of one text has succeeded.
    if event != UInt32(SQLITE_TRACE_ROW) { didEnd(SQLITE_DONE) }
    if event == UInt32(SQLITE_TRACE_STMT) {
      // A trigger of the running statement is reported as a comment. SQLite's internal statements
      // begin and return rows, but their end is never reported.
      let isTrigger = detail.map { memcmp($0, "--", 2) == 0 } ?? false
      if !isTrigger {
        rows[statement] = nil
        starts[statement] = .now
      }
      return
    }
    if event == UInt32(SQLITE_TRACE_ROW) {
      rows[statement, default: 0] += 1
      return
    }
    let told = Duration.nanoseconds(detail?.load(as: Int64.self) ?? 0)
    let duration = starts.removeValue(forKey: statement).map { .now - $0 } ?? told
    ended = StatementTrace(
      sql: sqlite3_sql(statement).map { String(cString: $0) } ?? "",
      duration: duration, rowCount: rows.removeValue(forKey: statement) ?? 0,
      expandedSQL: includesValues ? expanded(statement) : nil)
  }

  private func expanded(_ statement: OpaquePointer) -> String? {
    guard let text = sqlite3_expanded_sql(statement) else { return nil }
    defer { sqlite3_free(text) }
    return String(cString: text)
  }
}
