extension DatabaseFile {
  /// A connection that sees what is stored, the log included, and leaves files and folder as they are.
  ///
  /// Use it for a moment: nobody else may be able to open the file meanwhile.
  /// - Throws: `SQLiteError`
  package func look() throws -> Connection {
    guard let first = lookAccess.first, let last = lookAccess.last else {
      preconditionFailure("DatabaseFile: no access to look with")
    }
    if first != last {
      do {
        return try Connection(path: path, mode: .readOnly, access: first, busyTimeout: .zero)
      } catch let error as SQLiteError where error.code == .busy || error.code == .locked {}
    }
    let connection = try Connection(path: path, mode: .readOnly, access: last)
    // Where there was no log SQLite removes the one that it makes.
    if log != nil { connection.keepLogOnClose() }
    return connection
  }

  /// A connection to the database file alone, without what its log has; `nil` where there is no log.
  /// - Throws: `SQLiteError`
  package func lookBehindLog() throws -> Connection? {
    guard log?.hasContent == true, size > 0 else { return nil }
    return try Connection(path: path, mode: .readOnly, access: .immutable)
  }
}
