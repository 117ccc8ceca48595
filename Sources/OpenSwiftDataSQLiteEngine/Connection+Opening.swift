import OpenSwiftDataCSQLite
import Foundation

extension Connection {
  /// How long a connection waits for another connection's lock before it fails.
  @TaskLocal package static var defaultBusyTimeout: Duration = .seconds(10)

  /// - Parameter access: How a file is opened for reading only; `nil` to examine it first.
  static func open(
    path: String, mode: OpenMode, access: ReadAccess?, busyTimeout: Duration,
    keepsRollbackJournal: Bool, temporaryStorage: TemporaryStorage, tuning: ConnectionTuning
  ) throws -> OpaquePointer {
    #if OPENSWIFTDATA_INVARIANTS
      if let injector = FailureInjector.failing("open \(path)") {
        throw injector.fail(nil, sql: nil)
      }
    #endif
    if !mode.isInMemory { try OpenLog.requireCurrent(for: path) }
    let access = mode.isWritable ? nil : try access ?? DatabaseFile(at: path).readAccess
    var name = name(path: path, mode: mode)
    if access == .immutable { name += "?immutable=1" }
    var opened: OpaquePointer?
    // NOMUTEX: a connection has one user at a time, so SQLite need not lock it again.
    let code = sqlite3_open_v2(
      name, &opened, flags(mode, access) | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let opened else {
      let error = openingFailure(opened, code, path: path, mode: mode)
      sqlite3_close_v2(opened)
      throw error
    }
    do {
      try configure(
        opened, mode: mode, access: access, busyTimeout: busyTimeout,
        keepsRollbackJournal: keepsRollbackJournal, temporaryStorage: temporaryStorage,
        tuning: tuning)
      return opened
    } catch {
      sqlite3_close_v2(opened)
      throw error
    }
  }

  private static func flags(_ mode: OpenMode, _ access: ReadAccess?) -> Int32 {
    switch (mode, access) {
    case (.readWriteCreate, _), (.memory, _): SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case (.readWrite, _), (.readOnly, .shared?), (.readOnly, .exclusive?): SQLITE_OPEN_READWRITE
    case (.readOnly, _): SQLITE_OPEN_READONLY
    }
  }

  private static func configure(
    _ database: OpaquePointer, mode: OpenMode, access: ReadAccess?, busyTimeout: Duration,
    keepsRollbackJournal: Bool, temporaryStorage: TemporaryStorage, tuning: ConnectionTuning
  ) throws {
    sqlite3_extended_result_codes(database, 1)
    sqlite3_busy_timeout(database, busyTimeout.milliseconds)
    // This must come before the first read, which decides where the index of the log is.
    if access == .exclusive {
      _ = csqlite_keep_log_on_close(database)
      try run("PRAGMA locking_mode = EXCLUSIVE", database)
    }
    // Triggers may write to R-trees only if the schema is trusted. The registered functions are not
    // available to schemas, so a foreign file cannot call them.
    try run(
      "PRAGMA trusted_schema = ON; \(tuning.memoryStatements); "
        + "PRAGMA temp_store = \(temporaryStorage.available(for: database).rawValue)", database)
    guard mode.isWritable else {
      // The first read fails if the file is not a database.
      try run("PRAGMA query_only = ON; PRAGMA schema_version", database)
      return
    }
    if try isEmpty(database) {
      // Both set the format of a file, so they must run before its first page is written.
      try run("PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL", database)
    }
    // With a rollback journal only FULL, the default, keeps a file consistent.
    if keepsRollbackJournal { return }
    if !mode.isInMemory { try enterWAL(database, busyTimeout: busyTimeout) }
    // In WAL mode NORMAL keeps the file consistent after a power failure, which may undo the last
    // commits. FULL would flush to the disk at each commit.
    let pageSize = try integer("PRAGMA page_size", database)
    // The read opens the log of a file that had none, so that it can be noted.
    try run(tuning.logStatements(pageSize: pageSize) + "; PRAGMA schema_version", database)
  }

  /// Switches to write-ahead logging, so that readers can run during a write.
  ///
  /// SQLite does not call the busy handler when two connections switch at once, so this retries.
  private static func enterWAL(_ database: OpaquePointer, busyTimeout: Duration) throws {
    let deadline = ContinuousClock.now + busyTimeout
    while true {
      do {
        return try run("PRAGMA journal_mode = WAL", database)
      } catch let error as SQLiteError where error.code == .busy && ContinuousClock.now < deadline {
        Thread.sleep(forTimeInterval: 0.005)
      }
    }
  }

  private static func isEmpty(_ database: OpaquePointer) throws -> Bool {
    try integer("PRAGMA page_count", database) == 0
  }

  private static func integer(_ sql: String, _ database: OpaquePointer) throws -> Int {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let code = sqlite3_prepare_v2(database, sql, -1, &statement, nil)
    guard code == SQLITE_OK, sqlite3_step(statement) == SQLITE_ROW else {
      throw SQLiteError(database: database, resultCode: sqlite3_errcode(database), sql: sql)
    }
    return Int(sqlite3_column_int64(statement, 0))
  }

  private static func run(_ sql: String, _ database: OpaquePointer) throws {
    let code = sqlite3_exec(database, sql, nil, nil, nil)
    if code != SQLITE_OK { throw SQLiteError(database: database, resultCode: code, sql: sql) }
  }
}

// MARK: - Names and causes

extension Connection {
  private static func name(path: String, mode: OpenMode) -> String {
    switch mode {
    case .memory(nil): ":memory:"
    case .memory(let name?): "file:\(escaped(name))?mode=memory&cache=shared"
    case .readWriteCreate, .readWrite, .readOnly: uri(path)
    }
  }

  static func uri(_ path: String) -> String {
    // An absolute path gives file:/…; "?", "#" and "%" would end or change the path.
    "file:" + escaped(path)
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": result += "%25"
      case "?": result += "%3F"
      case "#": result += "%23"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func openingFailure(
    _ database: OpaquePointer?, _ code: Int32, path: String, mode: OpenMode
  ) -> SQLiteError {
    var cause: String?
    var isDenied = false
    if ResultCode(rawValue: code) == .cannotOpen, !mode.isInMemory {
      let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
      var isDirectory: ObjCBool = false
      let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
      if exists, isDirectory.boolValue {
        cause = "the path is a directory"
      } else if !FileManager.default.fileExists(atPath: directory) {
        cause = "the directory \(directory) does not exist"
      } else if !exists, mode != .readWriteCreate {
        cause = "the file does not exist"
      } else if !FileManager.default.isWritableFile(atPath: directory) {
        cause = "the directory \(directory) is not writable"
        isDenied = !exists
      }
    }
    let error = SQLiteError(
      database: database, resultCode: code, path: mode.isInMemory ? nil : path)
    guard let cause else { return error }
    var named = SQLiteError(extendedCode: error.extendedCode, message: cause, path: path)
    named.isDenied = isDenied
    return named
  }
}
