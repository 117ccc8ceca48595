/// How the connections of a pool use memory and the disk.
package struct ConnectionTuning: Hashable, Sendable {
  /// The size of each connection's page cache in bytes.
  package var pageCacheSize = 8_192_000

  /// How much of the file is mapped into memory, in bytes; 0 to read it with system calls.
  package var memoryMapSize = 0

  /// Whether each commit waits until it is on disk. If not, a power failure may undo the last commits,
  /// but leaves the file consistent.
  package var isFullySynchronous = false

  /// The size of the log from which a commit writes it back into the file, in bytes. Afterwards the
  /// log is cut to this size.
  package var logLimit = 4_096_000

  package init() {}
}

extension ConnectionTuning {
  /// SQLite ignores a number of 33 bits or more. Negative sizes are in KiB.
  var memoryStatements: String {
    "PRAGMA cache_size = -\(min(max(1, pageCacheSize / 1024), Int(Int32.max))); PRAGMA mmap_size = \(memoryMapSize)"
  }

  /// - Parameter pageSize: The size of the file's pages in bytes.
  func logStatements(pageSize: Int) -> String {
    let pages = min(max(1, logLimit / max(pageSize, 1)), Int(Int32.max))
    return "PRAGMA synchronous = \(isFullySynchronous ? "FULL" : "NORMAL"); "
      + "PRAGMA wal_autocheckpoint = \(pages); "
      + "PRAGMA journal_size_limit = \(logLimit)"
  }
}
