import OpenSwiftDataCSQLite
import Synchronization

/// Notices that somebody else has changed the tables of a database since it was opened, at no statement
/// more as long as nobody has.
///
/// - Before a transaction writes anything, it asks whether the file was changed by others since the last
///   one; only then the check looks at the tables. The write lock keeps them as they are after that.
/// - A read is checked after it when a statement had to be prepared again for other tables, which SQLite
///   does by itself, and a connection when it is opened.
/// - What the check throws it throws each time, until the pool is closed.
final class SchemaWatch: Sendable {
  private let check = Mutex<(@Sendable (Connection) throws -> Void)?>(nil)

  func install(_ check: @escaping @Sendable (Connection) throws -> Void) {
    self.check.withLock { $0 = check }
  }

  func run(_ connection: Connection) throws {
    guard let check = check.withLock({ $0 }), !connection.isEnclosed else { return }
    try check(connection)
  }
}

extension ConnectionPool {
  /// Has `check` called whenever others may have changed the tables, and once now.
  /// - Parameter check: Throws when the tables are not those it knows. It only reads.
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
  /// Looks at the tables now.
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

  /// Called after a commit: nobody else has changed anything.
  func noteOwnCommit() { if watch != nil { knownDataVersion = dataVersion } }

  /// Changes with each change of the file that the connection knows of: its own, and those of others once
  /// it has begun to read.
  private var dataVersion: UInt32 {
    var version: UInt32 = 0
    sqlite3_file_control(handle, nil, SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  /// The number that each change of the tables increases.
  package var schemaVersion: Int64 {
    get throws { try integer("PRAGMA schema_version") ?? 0 }
  }

  /// Lets other connections take the tables for changed.
  package func increaseSchemaVersion() throws {
    try execute("PRAGMA schema_version = \(try schemaVersion + 1)")
  }
}
