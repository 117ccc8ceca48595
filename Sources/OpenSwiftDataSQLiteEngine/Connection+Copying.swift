import OpenSwiftDataCSQLite

extension Connection {
  /// Copies the database page by page into a new file, with everything that is committed, including
  /// the log. Page size, vacuum mode and free pages stay the same.
  ///
  /// The file is not synchronised with the disk.
  /// - Throws: `SQLiteError`; an incomplete file may remain.
  package func copy(to path: String) throws {
    try copy(to: path, pages: -1) { _, _ in }
  }

  /// Copies the state of the database that the open read transaction sees into a new file, in steps.
  ///
  /// The transaction keeps the state, so commits of other connections do not restart the copy. The
  /// log can't be written back beyond that state meanwhile, and grows. The file is not synchronised
  /// with the disk.
  /// - Parameters:
  ///   - path: The file, which must be missing or empty.
  ///   - pages: The number of pages for each step.
  ///   - step: Called after each step with the numbers of copied and of all pages; throws to stop.
  /// - Throws: `SQLiteError`, or an error of `step`; an incomplete file may remain.
  package func copyInSteps(
    to path: String, pages: Int32, step: (_ copied: Int, _ all: Int) throws -> Void
  ) throws {
    guard isInTransaction else {
      throw SQLiteError(.misuse, message: "a copy in steps needs a transaction", path: path)
    }
    try copy(to: path, pages: pages, step: step)
  }

  /// - Parameter pages: The number of pages for each step; negative for all at once.
  private func copy(
    to path: String, pages: Int32, step: (_ copied: Int, _ all: Int) throws -> Void
  ) throws {
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
    var result = SQLITE_OK
    do {
      repeat {
        result = sqlite3_backup_step(backup, pages)
        let all = Int(sqlite3_backup_pagecount(backup))
        try step(all - Int(sqlite3_backup_remaining(backup)), all)
      } while result == SQLITE_OK
    } catch {
      sqlite3_backup_finish(backup)
      throw error
    }
    let end = sqlite3_backup_finish(backup)
    if result != SQLITE_DONE {
      throw SQLiteError(database: opened, resultCode: end == SQLITE_OK ? result : end, path: path)
    }
  }
}
