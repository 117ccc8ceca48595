import Foundation

/// What a pool that only reads found beside its file, to leave it so when it closes.
///
/// SQLite itself removes the log and its shared memory with the last connection, after it has written
/// the log back. A log that was there before, or that others filled meanwhile, must stay as it is.
struct ReadOnlyClosing: Sendable {
  let access: ReadAccess
  private let file: DatabaseFile

  init(_ file: DatabaseFile) {
    self.file = file
    access = file.readAccess
  }

  /// Closes the connections of the pool, the last references to them.
  func close(_ connections: inout [Connection]) {
    let keepsLog = access == .shared && (file.log != nil || hasLogContent)
    if keepsLog { for connection in connections { connection.keepLogOnClose() } }
    connections.removeAll()
    if keepsLog, !file.hasSharedMemory { removeSharedMemory() }
  }

  private var hasLogContent: Bool { DatabaseFile.size(of: file.logPath).map { $0 > 0 } ?? false }

  /// As SQLite does it: with the lock that proves that nobody else has the file open.
  private func removeSharedMemory() {
    try? RawDatabaseFile(path: file.path, isWritable: true).withExclusiveLock {
      try? FileManager.default.removeItem(atPath: file.sharedMemoryPath)
    }
  }
}
