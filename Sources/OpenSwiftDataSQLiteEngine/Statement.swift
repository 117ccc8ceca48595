import OpenSwiftDataCSQLite

/// A prepared statement.
///
/// Bind, `step()` until it answers `false`, read columns between two steps. Not thread-safe, and it
/// must not leave the closure that was lent its connection. Whoever drops it gives it back to the
/// connection, reset, so a half-read statement holds no lock.
package final class Statement {
  /// The statement's handle, owned by this object.
  @usableFromInline package let handle: OpaquePointer

  /// The text that was prepared.
  package let sql: String

  private let entry: StatementCache.Entry
  private let cache: StatementCache

  init(_ entry: StatementCache.Entry, sql: String, cache: StatementCache) {
    handle = entry.handle
    self.entry = entry
    self.sql = sql
    self.cache = cache
  }

  deinit {
    cache.giveBack(entry)
  }

  /// Moves to the next row; `false` when there is none.
  @inlinable
  package func step() throws -> Bool {
    #if OPENSWIFTDATA_INVARIANTS
      try throwInjectedFault()
    #endif
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw failure(code)
  }

  /// Runs to the end, ignoring rows, and makes the statement ready for the next bindings.
  @inlinable
  package func run() throws {
    #if OPENSWIFTDATA_INVARIANTS
      try throwInjectedFault()
    #endif
    var code = sqlite3_step(handle)
    while code == SQLITE_ROW { code = sqlite3_step(handle) }
    guard code == SQLITE_DONE else { throw failure(code) }
    sqlite3_reset(handle)
  }

  /// Ends the current run; bindings stay.
  @inlinable
  package func reset() {
    // The result repeats the error of the last step, which was thrown already.
    sqlite3_reset(handle)
  }

  /// How many parameters the text has.
  package var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

  /// How many rows the last INSERT, UPDATE or DELETE of the connection changed.
  package var changedRows: Int64 { csqlite_changes(sqlite3_db_handle(handle)) }

  /// Makes the error for a result code, and resets the statement so that it can be used again.
  @usableFromInline
  package func failure(_ code: Int32) -> SQLiteError {
    let error = SQLiteError(database: sqlite3_db_handle(handle), resultCode: code, sql: sql)
    sqlite3_reset(handle)
    return error
  }
}
