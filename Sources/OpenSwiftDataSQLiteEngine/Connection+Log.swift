import OpenSwiftDataCSQLite

/// The write-ahead log of a connection: whether it is still beside the file (`OpenLog`), and writing it back
/// when the connection closes.
extension Connection {
  /// Whether the path no longer leads to the open file.
  var hasMoved: Bool {
    var hasMoved: Int32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    return hasMoved != 0
  }

  /// The log that this connection has open; `nil` without a log.
  func openedLog() throws -> OpenLog? {
    guard let file = sqlite3_db_filename(handle, "main"), file.pointee != 0,
      let log = sqlite3_filename_wal(file)
    else { return nil }
    return try OpenLog.opened(database: String(cString: file), log: String(cString: log))
  }

  /// Throws if the log that this connection writes is no longer beside the file: others would not read it.
  func checkLogBeforeWriting() throws {
    // Another process may have switched a file with a rollback journal to WAL mode.
    guard let log else { return log = try openedLog() }
    if !log.isAtPath { throw lostLog }
  }

  /// Throws if the log was lost during a transaction that wrote. Its commit could write the log back over what
  /// others have saved since.
  func checkLogBeforeCommit() throws {
    if let log, csqlite_is_writing(handle) != 0, !log.isAtPath { throw lostLog }
  }

  /// Writes the log back into the file, as far as other connections permit, without waiting for them.
  ///
  /// SQLite does the same when the last connection closes, but does not report that it failed. It then
  /// keeps the log.
  /// - Throws: `SQLiteError`: SQLITE_READONLY_DBMOVED if the log was lost, and other programs may have
  ///   written the file since.
  func writeLogBack() throws {
    // If the file was moved too, its log belongs to no other file.
    guard let log, !log.isAtPath, !hasMoved else {
      try checkpoint()
      return
    }
    guard try log.writeBack(into: filePath, checkpoint) else { throw lostLog }
  }

  /// - Returns: Whether the whole log is in the file.
  @discardableResult
  private func checkpoint() throws -> Bool {
    var logged: Int32 = 0
    var written: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(
      handle, "main", SQLITE_CHECKPOINT_PASSIVE, &logged, &written)
    // Whoever uses the log writes it back later.
    if code & 0xFF == SQLITE_BUSY || code & 0xFF == SQLITE_LOCKED { return false }
    guard code == SQLITE_OK else {
      throw SQLiteError(database: handle, resultCode: code, path: path)
    }
    return logged == written
  }

  /// Keeps SQLite from writing a lost log over what others have written since, when this connection is the
  /// last to close.
  func keepLostLog() {
    if let log, !log.isAtPath, log.content(for: filePath) != .complete { keepLogOnClose() }
  }

  /// The path with symbolic links resolved.
  private var filePath: String {
    sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? path ?? ""
  }

  private var lostLog: SQLiteError {
    SQLiteError(
      extendedCode: SQLiteError.movedFile,
      message: "the log of the file was deleted, moved or replaced while it was open", path: path)
  }
}
