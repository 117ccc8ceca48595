package import OpenSwiftDataSQLiteEngine

/// Work with several transactions that is stored as a whole or not at all, including files beside
/// the store.
///
/// 1. The write lock is taken and kept. If the process is killed from here on, the store stays as
///    it was.
/// 2. `body` works on the pool, also through contexts; their transactions become parts of this one.
/// 3. The names of unused files are written to the journal on disk, then one commit stores
///    everything.
/// 4. The unused files are removed; after an error, the files that were added.
package struct EnclosedWork {
  private let pool: ConnectionPool
  private let external: ExternalFiles?

  /// - Parameters:
  ///   - pool: A pool with one connection.
  ///   - external: The external files of the stores on the pool; `nil` for a store in memory.
  package init(_ pool: ConnectionPool, external: ExternalFiles?) {
    self.pool = pool
    self.external = external
  }

  /// Runs `body` and commits its changes; discards all of them if it throws.
  ///
  /// After an error because of which SQLite rolled back, every further transaction throws, even if
  /// `body` ignores that error.
  /// - Throws: The error of `body`, `SQLiteError`, or `SwiftDataError.storeWriteFailure`.
  package func run<R>(_ body: () throws -> R) throws -> R {
    try pool.beginEnclosing()
    external?.beginEnclosing()
    var triesCommit = false
    do {
      let before = try pool.write(state)
      let result = try body()
      try pool.write { connection in
        let after = try state(connection)
        // Other open containers detect by the schema version that the file has changed.
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
