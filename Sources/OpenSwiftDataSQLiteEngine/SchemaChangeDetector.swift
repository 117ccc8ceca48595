import OpenSwiftDataCSQLite
import Synchronization

/// Detects that other connections have changed the tables of a database since it was opened. Runs
/// no extra statement while nothing has changed.
///
/// - Before a transaction writes, it asks whether other connections have changed the file since the
///   last one. Only then it checks the tables. The write lock keeps them unchanged afterwards.
/// - A read is checked afterwards if SQLite had to prepare a statement again for other tables. A
///   connection is checked when it is opened.
/// - An error of the check is thrown each time, until the pool is closed.
final class SchemaChangeDetector: Sendable {
  private let check = Mutex<(@Sendable (Connection) throws -> Void)?>(nil)

  func install(_ check: @escaping @Sendable (Connection) throws -> Void) {
    self.check.withLock { $0 = check }
  }

  func run(_ connection: Connection) throws {
    guard let check = check.withLock({ $0 }), !connection.isEnclosed else { return }
    try check(connection)
  }
}

/// A state of the database in write transactions of one connection. If it is the same at the end of
/// one transaction and at the beginning of another one, nothing was written in between.
package struct WriteState: Hashable, Sendable {
  /// Counts the beginnings of transactions that found commits of other connections.
  package let foreignCommits: Int64
  /// Counts the rows that the connection has changed.
  package let ownChanges: Int64
  package let rollbacks: Int64
}

extension ConnectionPool {
  /// Calls `check` now, and whenever other connections may have changed the tables.
  /// - Parameter check: Throws if the tables are not the expected ones. It must only read.
  package func watchSchema(
    _ check: @escaping @Sendable (Connection) throws -> Void
  ) throws {
    watch.install(check)
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

  /// Called after a commit: no other connection can have written since the transaction began.
  func noteOwnCommit() {
    committedDataVersion = dataVersion
    if watch != nil { knownDataVersion = committedDataVersion }
  }

  /// Called at the beginning of a transaction that has the write lock, so that no other connection
  /// can commit until it ends.
  func noteBegin() {
    let version = dataVersion
    if version != committedDataVersion {
      committedDataVersion = version
      foreignCommits += 1
    }
    noteStateAtBegin()
  }

  /// Connections to one database in memory share its data version, so that a commit of another one
  /// may be taken for an own one.
  func noteStateAtBegin() { stateAtBegin = mode.isInMemory ? nil : writeState }

  /// What has been written so far, by this connection and by others before the running transaction.
  package var writeState: WriteState {
    WriteState(foreignCommits: foreignCommits, ownChanges: totalChanges, rollbacks: rollbackCount)
  }

  /// Changes with each change of the file that the connection has seen: its own, and those of other
  /// connections once it has begun to read.
  private var dataVersion: UInt32 {
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
