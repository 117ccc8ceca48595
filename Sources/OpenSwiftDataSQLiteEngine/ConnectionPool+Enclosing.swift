extension ConnectionPool {
  /// Begins a transaction that contains all others of the pool. The pool must have one connection.
  /// - Throws: `SQLiteError`: SQLITE_BUSY if another connection holds the write lock too long.
  package func beginEnclosing() throws {
    guard hasOneConnection else {
      // Other connections would not see the uncommitted changes.
      throw SQLiteError(
        .misuse, message: "an enclosing transaction needs a pool without readers", path: path)
    }
    try write { try $0.beginEnclosing() }
  }

  /// Commits all changes since `beginEnclosing`.
  /// - Throws: `SQLiteError`; the caller must call `rollbackEnclosing` then.
  package func commitEnclosing() throws { try write { try $0.commitEnclosing() } }

  /// Rolls back all changes since `beginEnclosing`; does nothing if no transaction is open.
  package func rollbackEnclosing() { try? write { $0.rollbackEnclosing() } }
}
