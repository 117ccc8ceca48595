import Foundation
import OpenSwiftDataCSQLite
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// The write-ahead log that the connections of this process have open for one database file.
///
/// SQLite keeps a log open as long as its connection, and does not notice that the log was deleted or
/// replaced. Another process then uses a log of its own. What a connection wrote into the lost one, or from
/// it into the file, would destroy what others save.
///
/// 1. A connection notes the log that it has open (`opened`). All connections of the process on one file
///    share one object, because SQLite shares the index of the log among them.
/// 2. A new connection is refused while others have a lost log open (`requireCurrent`).
/// 3. Each write transaction asks whether the log is still at its path (`isAtPath`).
/// 4. Before the log is written back, `content` decides what may still be done with a lost one.
///
/// `known` guards the number of connections, `ownChange` itself.
final class OpenLog: Sendable {
  private let path: String
  private let file: FileIdentity
  private let database: FileIdentity
  /// When this process has written the lost log back.
  private let ownChange = Mutex<ChangeTime?>(nil)

  private static let known = Mutex<[FileIdentity: (log: OpenLog, connections: Int)]>([:])

  private init(path: String, file: FileIdentity, database: FileIdentity) {
    self.path = path
    self.file = file
    self.database = database
  }

  /// Throws if a connection of this process has the log of a file open that is no longer at its path.
  /// Called before SQLite opens the file.
  static func requireCurrent(for database: String) throws {
    // With the lock, because a connection that closes removes its log after that of the entry.
    let isLost = known.withLock { known in
      guard !known.isEmpty, let database = FileIdentity(of: database) else { return false }
      return known[database].map { !$0.log.isAtPath } ?? false
    }
    if isLost { throw lostEarlier(database) }
  }

  /// Notes that a connection has opened the log; `close` ends that.
  /// - Returns: `nil` if there is no log.
  static func opened(database: String, log path: String) throws -> OpenLog? {
    guard let file = FileIdentity(of: path), let database = FileIdentity(of: database) else {
      return nil
    }
    return try known.withLock { known in
      let entry = known[database] ?? (OpenLog(path: path, file: file, database: database), 0)
      guard entry.log.file == file else { throw lostEarlier(path) }
      known[database] = (entry.log, entry.connections + 1)
      return entry.log
    }
  }

  /// Called before a connection closes the log, or after it has closed a lost one.
  func close() {
    OpenLog.known.withLock { known in
      guard let entry = known[database], entry.log === self else { return }
      known[database] = entry.connections > 1 ? (self, entry.connections - 1) : nil
    }
  }

  var isAtPath: Bool { FileIdentity(of: path) == file }

  /// What of a lost log can be written back.
  enum Content { case nothing, unknown, complete }

  /// `complete` if nobody has changed the file since the log was lost, so that both still belong together.
  func content(for database: String) -> Content {
    ownChange.withLock { content(for: database, $0) }
  }

  /// Writes a lost log back if it can be done.
  /// - Parameter write: Returns whether the whole log was written back.
  /// - Returns: Whether nothing of the log is missing from the file.
  func writeBack(into database: String, _ write: () throws -> Bool) throws -> Bool {
    try ownChange.withLock { ownChange in
      switch content(for: database, ownChange) {
      case .nothing: return true
      case .unknown: return false
      case .complete:
        // A part of it may be written before an error.
        defer { ownChange = ChangeTime(of: database) }
        return try write()
      }
    }
  }

  /// Deleting a file changes the status time that its descriptors have. A later change of the database file by
  /// another process has a later time, and a process that uses the file has a log at the path.
  private func content(for database: String, _ ownChange: ChangeTime?) -> Content {
    guard let log = openFile else { return .unknown }
    if log.st_size == 0 { return .nothing }
    var status = stat()
    guard lstat(path, &status) != 0, errno == ENOENT, let changed = ChangeTime(of: database) else {
      return .unknown
    }
    return changed == ownChange || changed < ChangeTime(log) ? .complete : .unknown
  }

  /// The status of the log through SQLite's descriptor, which only the list of all descriptors contains.
  private var openFile: stat? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
    for descriptor in names.lazy.compactMap(Int32.init) {
      var status = stat()
      if fstat(descriptor, &status) == 0, FileIdentity(status) == file { return status }
    }
    return nil
  }

  private static func lostEarlier(_ path: String) -> SQLiteError {
    SQLiteError(
      extendedCode: SQLiteError.movedFile,
      message:
        "the log of the file was deleted, moved or replaced while this process had the file open",
      path: path
    ).advising(
      "Close all containers of the file in this process, then open it again; nothing was written.")
  }
}

/// The numbers by which the system knows a file.
struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// - Returns: `nil` if there is no file at the path.
  init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}

/// When a file was changed, as the system notes it: no program can set this time.
private struct ChangeTime: Comparable {
  private let seconds: Int
  private let nanoseconds: Int

  init(_ status: stat) {
    #if canImport(Darwin)
      let time = status.st_ctimespec
    #else
      let time = status.st_ctim
    #endif
    (seconds, nanoseconds) = (Int(time.tv_sec), Int(time.tv_nsec))
  }

  init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  static func < (one: ChangeTime, other: ChangeTime) -> Bool {
    (one.seconds, one.nanoseconds) < (other.seconds, other.nanoseconds)
  }
}
