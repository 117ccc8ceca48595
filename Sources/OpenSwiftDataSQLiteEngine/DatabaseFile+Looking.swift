extension DatabaseFile {
  /// Opens a connection that sees all commits, including the log, and leaves files and folder
  /// unchanged.
  ///
  /// Close it soon: other connections may be unable to open the file until then.
  /// - Throws: `SQLiteError`
  package func look() throws -> Connection {
    guard let first = lookAccess.first, let last = lookAccess.last else {
      preconditionFailure("DatabaseFile: the list of read-only accesses is empty")
    }
    if first != last {
      do {
        return try Connection(path: path, mode: .readOnly, access: first, busyTimeout: .zero)
      } catch let error as SQLiteError where error.code == .busy || error.code == .locked {}
    }
    let connection = try Connection(path: path, mode: .readOnly, access: last)
    // If there was no log, SQLite removes the one that it creates.
    if log != nil { connection.keepLogOnClose() }
    return connection
  }

  /// Opens a connection to the database file without its log; `nil` if the log is missing or empty.
  /// - Throws: `SQLiteError`
  package func openWithoutLog() throws -> Connection? {
    guard log?.hasContent == true, size > 0 else { return nil }
    return try Connection(path: path, mode: .readOnly, access: .immutable)
  }
}
