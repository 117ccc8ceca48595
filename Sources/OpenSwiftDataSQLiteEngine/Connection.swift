import OpenSwiftDataCSQLite

/// A connection to one database.
///
/// Not thread-safe: one user at a time, except for `interrupt()`. `ConnectionPool` sees to that.
package final class Connection {
  /// The path as it was given; `nil` in memory.
  package let path: String?

  package let mode: OpenMode

  /// How the file was to be opened; `nil` where that was left to the file.
  let access: ReadAccess?

  /// The connection's handle, owned by this object.
  @usableFromInline package let handle: OpaquePointer

  let statements: StatementCache

  /// How long the connection waits for another one's lock.
  let busyTimeout: Duration

  /// How many statements were prepared because none was idle.
  package private(set) var preparedCount = 0

  /// The last tracer; SQLite refers to it without retaining it.
  var tracer: Tracer?

  /// The transaction that all others are parts of, while it is open; SQLite refers to it without
  /// retaining it.
  var enclosing: EnclosingTransaction?

  /// What looks whether others have changed the tables, with the state of the file at its last look.
  var watch: SchemaWatch?
  var knownDataVersion: UInt32 = 0

  /// How many transactions were undone: the rows changed back without counting as changed.
  package internal(set) var rollbackCount: Int64 = 0

  /// Opens a database and, when the file is new, lays down its format.
  /// - Parameters:
  ///   - access: How a file is opened that is only read; `nil` to look at it first.
  ///   - keepsJournal: Whether a file with a rollback journal is not switched to a log.
  package init(
    path: String, mode: OpenMode = .readWriteCreate, access: ReadAccess? = nil,
    busyTimeout: Duration = Connection.defaultBusyTimeout, cachedStatements: Int = 128,
    keepsJournal: Bool = false, temporaryStorage: TemporaryStorage = .memory
  ) throws {
    self.path = mode.isInMemory ? nil : path
    self.mode = mode
    self.access = access
    self.busyTimeout = busyTimeout
    self.statements = StatementCache(capacity: cachedStatements)
    self.handle = try Self.open(
      path: path, mode: mode, access: access, busyTimeout: busyTimeout,
      keepsJournal: keepsJournal, temporaryStorage: temporaryStorage)
  }

  deinit {
    statements.close()
    if enclosing != nil { sqlite3_commit_hook(handle, nil, nil) }
    // Statements that outlive the connection keep the handle open until they end.
    sqlite3_close_v2(handle)
  }

  /// Runs one or several statements that have no parameters, ignoring rows.
  package func execute(_ sql: String) throws {
    #if OPENSWIFTDATA_INVARIANTS
      if let injector = FaultInjector.failing(sql) { throw injector.fail(handle, sql: sql) }
    #endif
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK {
      throw SQLiteError(database: handle, resultCode: code, sql: sql, path: path)
    }
  }

  /// A statement for the text: an idle one that was prepared before, or a new one.
  package func prepare(_ sql: String) throws -> Statement {
    if let idle = statements.take(sql) { return Statement(idle, sql: sql, cache: statements) }
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK else {
      throw SQLiteError(database: handle, resultCode: code, sql: sql, path: path)
    }
    preparedCount += 1
    guard let prepared else {
      throw SQLiteError(.misuse, message: "the text holds no statement", sql: sql, path: path)
    }
    let entry = StatementCache.Entry(handle: prepared, sql: sql)
    statements.adopt(entry)
    return Statement(entry, sql: sql, cache: statements)
  }

  /// The first column of the first row as an integer; `nil` without a row or when it is NULL.
  package func integer(_ sql: String) throws -> Int64? {
    let statement = try prepare(sql)
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return statement.int64(0)
  }

  /// The first column of the first row as text; `nil` without a row or when it is NULL.
  package func text(_ sql: String) throws -> String? {
    let statement = try prepare(sql)
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return statement.string(0)
  }

  /// How many rows the last INSERT, UPDATE or DELETE changed.
  package var changes: Int64 { csqlite_changes(handle) }

  /// How many rows this connection changed since it was opened.
  package var totalChanges: Int64 { csqlite_total_changes(handle) }

  package var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }

  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Makes the statement that runs now fail; callable from any thread while the connection lives.
  package func interrupt() {
    sqlite3_interrupt(handle)
  }

  /// Leaves the log as it is when this connection is the last to close: nothing is written back.
  package func keepLogOnClose() { _ = csqlite_keep_log_on_close(handle) }

  /// How many idle statements are kept for another use.
  package var idleStatementCount: Int { statements.idleCount }
}
