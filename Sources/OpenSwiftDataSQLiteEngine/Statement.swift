import OpenSwiftDataCSQLite

/// A prepared statement.
///
/// Bind values, call `step()` until it returns `false`, and read columns between two steps. Not
/// thread-safe; must not be used outside the closure that borrows its connection. When the last
/// reference is released, the statement is reset and returns to the connection, so a half-read
/// statement holds no lock.
package final class Statement {
  /// The statement's handle, owned by this object.
  @usableFromInline package let handle: OpaquePointer

  /// The SQL text.
  package let sql: String

  /// Reports the end of each run.
  @usableFromInline let tracer: Tracer?

  private let entry: StatementCache.Entry
  private let cache: StatementCache

  init(_ entry: StatementCache.Entry, sql: String, cache: StatementCache, tracer: Tracer?) {
    handle = entry.handle
    self.tracer = tracer
    self.entry = entry
    self.sql = sql
    self.cache = cache
  }

  deinit {
    cache.giveBack(entry)
    tracer?.didEnd(SQLITE_OK)
  }

  /// Moves to the next row; `false` if there is none.
  @inlinable
  package func step() throws -> Bool {
    #if OPENSWIFTDATA_INVARIANTS
      try throwInjectedFault()
    #endif
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    tracer?.didEnd(code)
    if code == SQLITE_DONE { return false }
    throw failure(code)
  }

  /// Runs to the end, ignores rows, and resets the statement for new bindings.
  @inlinable
  package func run() throws {
    #if OPENSWIFTDATA_INVARIANTS
      try throwInjectedFault()
    #endif
    var code = sqlite3_step(handle)
    while code == SQLITE_ROW { code = sqlite3_step(handle) }
    tracer?.didEnd(code)
    guard code == SQLITE_DONE else { throw failure(code) }
    sqlite3_reset(handle)
  }

  /// Ends the current run; bindings stay.
  @inlinable
  package func reset() {
    // The result repeats the error of the last step, which was already thrown.
    sqlite3_reset(handle)
    tracer?.didEnd(SQLITE_OK)
  }

  package var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

  /// The number of rows that the last INSERT, UPDATE or DELETE of the connection changed.
  package var changedRows: Int64 { csqlite_changes(sqlite3_db_handle(handle)) }

  /// Makes an error for a result code, and resets the statement.
  @usableFromInline
  package func failure(_ code: Int32) -> SQLiteError {
    let error = SQLiteError(database: sqlite3_db_handle(handle), resultCode: code, sql: sql)
    sqlite3_reset(handle)
    return error
  }
}
