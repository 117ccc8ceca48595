import Foundation

/// The files that a read-only pool found, so that closing leaves them as they were.
///
/// When the last connection closes, SQLite writes the log back and removes it with its shared
/// memory. A log that existed before, or that other connections have filled meanwhile, must stay.
struct ReadOnlyClosing: Sendable {
  let access: ReadAccess
  private let file: DatabaseFile

  init(_ file: DatabaseFile) {
    self.file = file
    access = file.readAccess
  }

  /// Closes the connections of the pool. The array must hold the last references to them.
  func close(_ connections: inout [Connection]) {
    let keepsLog = access == .shared && (file.log != nil || hasLogContent)
    if keepsLog { for connection in connections { connection.keepLogOnClose() } }
    connections.removeAll()
    if keepsLog, !file.hasSharedMemory { removeSharedMemory() }
  }

  private var hasLogContent: Bool { DatabaseFile.size(of: file.logPath).map { $0 > 0 } ?? false }

  /// Takes the lock that proves that no other connection has the file open, as SQLite does.
  private func removeSharedMemory() {
    try? RawDatabaseFile(path: file.path, isWritable: true).withExclusiveLock {
      try? FileManager.default.removeItem(atPath: file.sharedMemoryPath)
    }
  }
}
