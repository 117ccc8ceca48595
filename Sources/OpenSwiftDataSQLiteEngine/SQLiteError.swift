import OpenSwiftDataCSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// An error that SQLite reported, with the statement and the path.
///
/// Values are bound and never written into SQL, so neither `message` nor `sql` contains stored
/// values.
package struct SQLiteError: Error, Sendable {
  /// The primary result code.
  package let code: ResultCode

  /// The extended result code, such as 2067 for a violated unique index.
  package let extendedCode: Int32

  /// SQLite's own message.
  package let message: String

  /// The statement that failed, if there was one.
  package let sql: String?

  /// The path of the database file, `nil` for one in memory.
  package let path: String?

  /// Whether the volume or a quota has no space left. SQLite reports some of these errors as failed reads and
  /// writes.
  package let isOutOfSpace: Bool

  /// Whether the pool was closed, so that no connection was used.
  package var isClosedPool = false

  /// Whether the permissions of the directory do not allow to create the file.
  package var isDenied = false

  /// What to do, if the code does not say it.
  package var remedy: String?

  /// - Parameter systemError: The error number of the system call that failed.
  package init(
    extendedCode: Int32, message: String, sql: String? = nil, path: String? = nil,
    systemError: Int32 = 0
  ) {
    self.code = ResultCode(rawValue: extendedCode)
    self.extendedCode = extendedCode
    isOutOfSpace =
      switch code {
      case .full: true
      // Extending the shared memory of a log fails without the error number of its cause.
      case .inputOutput:
        extendedCode == SQLITE_IOERR_SHMSIZE_CODE || [ENOSPC, EDQUOT].contains(systemError)
      default: false
      }
    self.message = message
    self.sql = sql
    self.path = path
  }

  package init(_ code: ResultCode, message: String, sql: String? = nil, path: String? = nil) {
    self.init(extendedCode: code.rawValue, message: message, sql: sql, path: path)
  }

  /// Makes an error from the last error of a database handle.
  init(database: OpaquePointer?, resultCode: Int32, sql: String? = nil, path: String? = nil) {
    // The handle's codes belong to its last call; a misuse error does not reach the handle.
    let extended = database.map { sqlite3_extended_errcode($0) } ?? resultCode
    let isCurrent = extended & 0xFF == resultCode & 0xFF
    let text = isCurrent && database != nil ? sqlite3_errmsg(database) : sqlite3_errstr(resultCode)
    let file = database.flatMap { sqlite3_db_filename($0, "main") }.map { String(cString: $0) }
    self.init(
      extendedCode: isCurrent ? extended : resultCode,
      message: text.map { String(cString: $0) } ?? "unknown error",
      sql: sql,
      path: path ?? file.flatMap { $0.isEmpty ? nil : $0 },
      systemError: isCurrent ? database.map(sqlite3_system_errno) ?? 0 : 0)
    // SQLite does not tell which of the volumes is full.
    if isOutOfSpace, let database, let path = self.path,
      let directory = TemporaryStorage.directoryInUse(by: database),
      !TemporaryStorage.haveSameVolume(directory, path)
    {
      remedy =
        "Free space on the volume of the store, or on that of temporary files, \(directory) (SQLITE_TMPDIR "
        + "in the environment names another directory), and try again; nothing was written."
    }
  }
}

extension SQLiteError {
  /// The same error with other advice.
  package func advising(_ remedy: String) -> SQLiteError {
    var error = self
    error.remedy = remedy
    return error
  }

  /// For a wait whose limit the caller has given.
  static let limitedWaitAdvice =
    "Try again when the other process or thread has finished its transaction, or raise waitingAtMost."

  /// Whether a unique index or a primary key rejected a row.
  package var isUniquenessViolation: Bool {
    extendedCode == SQLITE_CONSTRAINT_UNIQUE_CODE
      || extendedCode == SQLITE_CONSTRAINT_PRIMARYKEY_CODE
      || extendedCode == SQLITE_CONSTRAINT_ROWID_CODE
  }

  /// SQLITE_READONLY_DBMOVED.
  package static var movedFile: Int32 { SQLITE_READONLY | (4 << 8) }

  /// SQLITE_IOERR_GETTEMPPATH.
  static var missingTemporaryDirectory: Int32 { SQLITE_IOERR | (25 << 8) }

  /// The columns of a violated constraint, as `(table, column)`. Of an index over expressions SQLite names the
  /// index only.
  package var constrainedColumns: [(table: String, column: String)] {
    guard code == .constraint, let colon = message.firstIndex(of: ":"),
      !message[colon...].hasPrefix(": index '")
    else { return [] }
    return message[colon...].dropFirst(2).split(separator: ", ").compactMap { name in
      let parts = name.split(separator: ".", maxSplits: 1)
      return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }
  }
}

// Extended codes are shift expressions in sqlite3.h, which Swift does not import.
private let SQLITE_CONSTRAINT_PRIMARYKEY_CODE = SQLITE_CONSTRAINT | (6 << 8)
private let SQLITE_CONSTRAINT_UNIQUE_CODE = SQLITE_CONSTRAINT | (8 << 8)
private let SQLITE_CONSTRAINT_ROWID_CODE = SQLITE_CONSTRAINT | (10 << 8)
private let SQLITE_IOERR_SHMSIZE_CODE = SQLITE_IOERR | (19 << 8)
