#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// A database file that is read without locks (`ReadAccess.immutable`): what tells that another process has begun to
/// write it, or has written it.
///
/// A process that writes makes a log first, and writes the file only while the log is there.
struct UnlockedFile {
  private struct Status: Equatable {
    let identity: FileIdentity
    let size: Int64
    let modified: timespec
    let changed: timespec

    init?(of path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      identity = FileIdentity(status)
      size = Int64(status.st_size)
      #if canImport(Darwin)
        (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
      #else
        (modified, changed) = (status.st_mtim, status.st_ctim)
      #endif
    }

    static func == (one: Status, other: Status) -> Bool {
      one.changed.tv_nsec == other.changed.tv_nsec && one.changed.tv_sec == other.changed.tv_sec
        && one.modified.tv_nsec == other.modified.tv_nsec
        && one.modified.tv_sec == other.modified.tv_sec && one.size == other.size
        && one.identity == other.identity
    }
  }

  private let path: String
  private let logPath: String
  private let file: Status?
  private let log: Status?

  init(at path: String) {
    self.path = path
    logPath = path + "-wal"
    file = Status(of: path)
    log = Status(of: logPath)
  }

  /// Whether another connection to the path may show something else than one that was opened after `init`. Nobody
  /// writes a file that was removed, so what has it open can read on.
  var isChanged: Bool {
    guard let now = Status(of: path) else { return false }
    return now != file || Status(of: logPath) != log
  }

  /// The pauses before a changed file is read again, in seconds.
  static let pauses = [0, 0.001, 0.005, 0.02, 0.1, 0.5]

  static func changed(_ path: String) -> SQLiteError {
    SQLiteError(
      .busy,
      message:
        "another process has written the file during the read, and its folder can't be written, "
        + "so the file could not be locked", path: path
    ).advising("Read again.")
  }
}
