package import OpenSwiftDataSQLiteEngine

/// Work of many transactions that is stored as a whole or not at all, with the files beside the store.
///
/// 1. The write lock is taken, and kept. A process that is killed from here on leaves the store as it was.
/// 2. `body` works on the pool, through contexts too; their transactions are parts of this one.
/// 3. The names of files that are not needed any more are put on the disk, then one commit stores all.
/// 4. The files are removed, or, when anything has thrown, those that were added.
package struct EnclosedWork {
  private let pool: ConnectionPool
  private let external: ExternalFiles?

  /// - Parameters:
  ///   - pool: A pool with one connection.
  ///   - external: What the stores on the pool use; `nil` for a store in memory.
  package init(_ pool: ConnectionPool, external: ExternalFiles?) {
    self.pool = pool
    self.external = external
  }

  /// Runs `body`, and stores all it did, or nothing when it throws.
  ///
  /// Also what begins after an error that made SQLite undo the transaction throws, even where
  /// `body` ignores that error.
  /// - Throws: What `body` throws, `SQLiteError`, or `SwiftDataError.storeWriteFailure`.
  package func run<R>(_ body: () throws -> R) throws -> R {
    try pool.beginEnclosing()
    external?.beginEnclosing()
    var triesCommit = false
    do {
      let before = try pool.write(state)
      let result = try body()
      try pool.write { connection in
        let after = try state(connection)
        // Containers that are open elsewhere notice by the number that the file is not what they know.
        if after.changes != before.changes, after.schema == before.schema {
          try connection.increaseSchemaVersion()
        }
        try external?.willCommitEnclosing(connection)
      }
      triesCommit = true
      try pool.commitEnclosing()
      external?.commitEnclosing()
      return result
    } catch {
      pool.rollbackEnclosing()
      external?.rollbackEnclosing(triedCommit: triesCommit)
      throw error
    }
  }

  private func state(_ connection: Connection) throws -> (changes: Int64, schema: Int64) {
    (connection.totalChanges, try connection.schemaVersion)
  }
}
