extension ConnectionPool {
  /// Begins a transaction that all others of the pool become parts of; only for one with one connection.
  /// - Throws: `SQLiteError`: SQLITE_BUSY when another connection has the write lock and keeps it.
  package func beginEnclosing() throws {
    guard hasOneConnection else {
      // Other connections would read what was there before.
      throw SQLiteError(
        .misuse, message: "an enclosing transaction needs a pool without readers", path: path)
    }
    try write { try $0.beginEnclosing() }
  }

  /// Stores all that was done since `beginEnclosing`.
  /// - Throws: `SQLiteError`; `rollbackEnclosing` is to follow.
  package func commitEnclosing() throws { try write { try $0.commitEnclosing() } }

  /// Undoes all that was done since `beginEnclosing`; does nothing where none is open.
  package func rollbackEnclosing() { try? write { $0.rollbackEnclosing() } }
}
