import OpenSwiftDataCSQLite

extension Connection {
  /// Copies the database page by page into a new file, with everything that is committed, including
  /// the log. Page size, vacuum mode and free pages stay the same.
  ///
  /// The file is not synchronised with the disk.
  /// - Throws: `SQLiteError`; an incomplete file may remain.
  package func copy(to path: String) throws {
    #if OPENSWIFTDATA_INVARIANTS
      if let injector = FailureInjector.failing("copy to \(path)") {
        throw injector.fail(nil, sql: nil)
      }
    #endif
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(
      Connection.uri(path), &opened,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
    defer { sqlite3_close_v2(opened) }
    guard code == SQLITE_OK, let opened else {
      throw SQLiteError(database: opened, resultCode: code, path: path)
    }
    sqlite3_extended_result_codes(opened, 1)
    // A failed copy is removed, so nothing must be rolled back.
    sqlite3_exec(opened, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", nil, nil, nil)
    guard let backup = sqlite3_backup_init(opened, "main", handle, "main") else {
      throw SQLiteError(database: opened, resultCode: sqlite3_errcode(opened), path: path)
    }
    let step = sqlite3_backup_step(backup, -1)
    let end = sqlite3_backup_finish(backup)
    if step != SQLITE_DONE {
      throw SQLiteError(database: opened, resultCode: end == SQLITE_OK ? step : end, path: path)
    }
  }
}
