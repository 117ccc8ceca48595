import OpenSwiftDataCSQLite
import Synchronization

/// A connection to one database.
///
/// Not thread-safe, except for `interrupt()`: one user at a time, which `ConnectionPool` ensures.
package final class Connection {
  /// The path that was given; `nil` in memory.
  package let path: String?

  package let mode: OpenMode

  /// A number that no other connection of the process has, before or after.
  package let number = Connection.numbers.add(1, ordering: .relaxed).newValue

  private static let numbers = Atomic<Int>(0)

  /// How the file was opened for reading only; `nil` if the state of the file decided.
  let access: ReadAccess?

  /// The connection's handle, owned by this object.
  @usableFromInline package let handle: OpaquePointer

  let statements: StatementCache

  /// How long the connection waits for another connection's lock.
  let busyTimeout: Duration

  /// The number of statements that were prepared because no idle one had the same text.
  package private(set) var preparedCount = 0

  /// The log that the connection has open; `nil` without a log.
  var log: OpenLog?

  /// The current tracer; SQLite refers to it without retaining it.
  var tracer: Tracer?

  /// Reports waits for locks; SQLite refers to it without retaining it.
  var waitTracer: WaitTracer?

  /// Writes the log back and reports that; SQLite refers to it without retaining it.
  var checkpointTracer: CheckpointTracer?

  /// The open enclosing transaction, of which all other transactions are parts; SQLite refers to it
  /// without retaining it.
  var enclosing: EnclosingTransaction?

  /// Detects that other connections have changed the tables, by comparison with the last known
  /// state.
  var watch: SchemaChangeDetector?
  var knownDataVersion: UInt32 = 0

  /// The kind of the last transaction that was begun. An immediate one has checked the tables.
  var transactionKind = TransactionKind.deferred

  /// The number of rollbacks. Rows that a rollback restores do not count as changed.
  package internal(set) var rollbackCount: Int64 = 0

  /// Opens a database; sets the format of a new file.
  /// - Parameters:
  ///   - access: How a file is opened for reading only; `nil` to examine it first.
  ///   - keepsRollbackJournal: Whether a file with a rollback journal is not switched to WAL mode.
  package init(
    path: String, mode: OpenMode = .readWriteCreate, access: ReadAccess? = nil,
    busyTimeout: Duration = Connection.defaultBusyTimeout, cachedStatements: Int = 128,
    keepsRollbackJournal: Bool = false, temporaryStorage: TemporaryStorage = .memory,
    tuning: ConnectionTuning = ConnectionTuning()
  ) throws {
    self.path = mode.isInMemory ? nil : path
    self.mode = mode
    self.access = access
    self.busyTimeout = busyTimeout
    self.statements = StatementCache(capacity: cachedStatements)
    self.handle = try Self.open(
      path: path, mode: mode, access: access, busyTimeout: busyTimeout,
      keepsRollbackJournal: keepsRollbackJournal, temporaryStorage: temporaryStorage,
      tuning: tuning)
    if !mode.isInMemory, access != .immutable { log = try openedLog() }
  }

  deinit {
    statements.close()
    if enclosing != nil { sqlite3_commit_hook(handle, nil, nil) }
    keepLostLog()
    // The last connection to close removes its log, which one that opens meanwhile must not miss. While a lost
    // log is open, no other connection may open the file.
    let isLost = log.map { !$0.isAtPath } ?? false
    if !isLost { log?.close() }
    // Statements that outlive the connection keep the handle open until they are finalised.
    sqlite3_close_v2(handle)
    if isLost { log?.close() }
  }

  /// Runs one or more statements without parameters; ignores rows.
  package func execute(_ sql: String) throws {
    #if OPENSWIFTDATA_INVARIANTS
      if let injector = FailureInjector.failing(sql) { throw injector.fail(handle, sql: sql) }
    #endif
    // Not `sqlite3_exec`, which does not tell whether a statement failed or the preparation of the next one.
    try sql.withCString { text in
      var rest = text
      while let statement = try prepareNext(&rest, of: sql) {
        var code = sqlite3_step(statement)
        while code == SQLITE_ROW { code = sqlite3_step(statement) }
        tracer?.didEnd(code)
        // The result repeats that of the last step.
        code = sqlite3_finalize(statement)
        if code != SQLITE_OK {
          throw SQLiteError(database: handle, resultCode: code, sql: sql, path: path)
        }
      }
    }
  }

  /// - Parameter rest: The text from the statement on; then the text after it.
  /// - Returns: `nil` at the end of the text.
  private func prepareNext(
    _ rest: inout UnsafePointer<CChar>, of sql: String
  ) throws -> OpaquePointer? {
    while true {
      // SQLite would count this as a part of the statement.
      while rest.pointee == 32 || 9...13 ~= rest.pointee { rest += 1 }
      if rest.pointee == 0 { return nil }
      var (statement, tail): (OpaquePointer?, UnsafePointer<CChar>?)
      let start = tracer.map { _ in ContinuousClock.now }
      let code = sqlite3_prepare_v2(handle, rest, -1, &statement, &tail)
      guard code == SQLITE_OK, let tail else {
        tracer?.didFail(preparing: String(cString: rest), code, since: start)
        throw SQLiteError(database: handle, resultCode: code, sql: sql, path: path)
      }
      rest = tail
      // A comment is no statement.
      if let statement { return statement }
    }
  }

  /// A statement for the text: an idle one from the cache, or a new one.
  package func prepare(_ sql: String) throws -> Statement {
    if let idle = statements.take(sql) {
      return Statement(idle, sql: sql, cache: statements, tracer: tracer)
    }
    var prepared: OpaquePointer?
    let start = tracer.map { _ in ContinuousClock.now }
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK else {
      tracer?.didFail(preparing: sql, code, since: start)
      throw SQLiteError(database: handle, resultCode: code, sql: sql, path: path)
    }
    preparedCount += 1
    guard let prepared else {
      throw SQLiteError(.misuse, message: "the SQL has no statement", sql: sql, path: path)
    }
    let entry = StatementCache.Entry(handle: prepared, sql: sql)
    statements.adopt(entry)
    return Statement(entry, sql: sql, cache: statements, tracer: tracer)
  }

  /// The first column of the first row as an integer; `nil` if there is no row or it is NULL.
  package func integer(_ sql: String) throws -> Int64? {
    let statement = try prepare(sql)
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return statement.int64(0)
  }

  /// The first column of the first row as text; `nil` if there is no row or it is NULL.
  package func text(_ sql: String) throws -> String? {
    let statement = try prepare(sql)
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return statement.string(0)
  }

  /// The number of rows that the last INSERT, UPDATE or DELETE changed.
  package var changes: Int64 { csqlite_changes(handle) }

  /// The number of rows that this connection has changed since it was opened.
  package var totalChanges: Int64 { csqlite_total_changes(handle) }

  package var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }

  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Whether the open transaction has read or written, so that its state is fixed.
  package var hasBegunReading: Bool { csqlite_has_begun_reading(handle) != 0 }

  /// Makes the running statement fail. May be called on any thread while the connection lives.
  package func interrupt() {
    sqlite3_interrupt(handle)
  }

  /// Keeps the log unchanged if this connection is the last to close: nothing is written back.
  package func keepLogOnClose() { _ = csqlite_keep_log_on_close(handle) }

  /// The number of idle statements in the cache.
  package var idleStatementCount: Int { statements.idleCount }
}
