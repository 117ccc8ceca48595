import OpenSwiftDataCSQLite
import Synchronization

/// Detects that other connections have changed the tables of a database since it was opened. Runs
/// no extra statement while nothing has changed.
///
/// - Before a transaction writes, it asks whether other connections have changed the file since the
///   last one. Only then it checks the tables. The write lock keeps them unchanged afterwards.
/// - A read is checked afterwards if SQLite had to prepare a statement again for other tables. A
///   connection is checked when it is opened.
/// - A transaction that only reads on the writing connection leaves the question to the next write.
/// - An error of the check is thrown each time, until the pool is closed.
final class SchemaChangeDetector: Sendable {
  private let check = Mutex<(@Sendable (Connection) throws -> Void)?>(nil)
  private let identity = Mutex<(@Sendable (Connection) throws -> Void)?>(nil)

  func install(
    identity: (@Sendable (Connection) throws -> Void)?,
    _ check: @escaping @Sendable (Connection) throws -> Void
  ) {
    self.identity.withLock { $0 = identity }
    self.check.withLock { $0 = check }
  }

  /// Called with a later connection that only reads.
  func identify(_ connection: Connection) throws {
    try identity.withLock { $0 }?(connection)
  }

  func run(_ connection: Connection) throws {
    guard let check = check.withLock({ $0 }), !connection.isEnclosed else { return }
    try check(connection)
  }
}

extension ConnectionPool {
  /// Calls `check` now, and whenever other connections may have changed the tables.
  /// - Parameters:
  ///   - identity: Throws if a later connection of a read-only pool leads to another database. It must only read.
  ///   - check: Throws if the tables are not the expected ones. It must only read.
  package func watchSchema(
    identity: (@Sendable (Connection) throws -> Void)? = nil,
    _ check: @escaping @Sendable (Connection) throws -> Void
  ) throws {
    watch.install(identity: identity, check)
    let body: (Connection) throws -> Void = { connection in
      try connection.snapshot { try connection.checkSchema() }
    }
    if mode.isWritable { try write(body) } else { try read(body) }
  }
}

extension Connection {
  /// Checks the tables now.
  package func checkSchema() throws {
    guard let watch else { return }
    try watch.run(self)
    knownDataVersion = dataVersion
    statements.hasPreparedAgain = false
  }

  /// Called at the beginning of a transaction that has the write lock.
  func checkSchemaBeforeWriting() throws {
    if watch != nil, dataVersion != knownDataVersion { try checkSchema() }
  }

  /// Called after a read.
  func checkSchemaAfterReading() throws {
    if statements.hasPreparedAgain { try checkSchema() }
  }

  /// Called after the commit of a transaction that had the write lock: no other connection can have written
  /// since it checked the tables.
  func noteOwnCommit() { if watch != nil { knownDataVersion = dataVersion } }

  /// Changes with each change of the file that the connection has seen: its own, and those of other
  /// connections once it has begun to read.
  package var dataVersion: UInt32 {
    var version: UInt32 = 0
    sqlite3_file_control(handle, nil, SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  /// The number that SQLite increases with each change of the tables.
  package var schemaVersion: Int64 {
    get throws { try integer("PRAGMA schema_version") ?? 0 }
  }

  /// Makes other connections treat the tables as changed.
  package func increaseSchemaVersion() throws {
    try execute("PRAGMA schema_version = \(try schemaVersion + 1)")
  }
}
