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
struct UnlockedFile: Equatable {
  /// Device, number, size, and times of the last changes, of the file and of its log; empty if it is missing.
  private let file: [Int]
  private let log: [Int]

  init(at path: String) {
    file = UnlockedFile.status(of: path)
    log = UnlockedFile.status(of: path + "-wal")
  }

  private static func status(of path: String) -> [Int] {
    var status = stat()
    guard stat(path, &status) == 0 else { return [] }
    #if canImport(Darwin)
      let times = [status.st_mtimespec, status.st_ctimespec]
    #else
      let times = [status.st_mtim, status.st_ctim]
    #endif
    return [Int(truncatingIfNeeded: status.st_dev), Int(truncatingIfNeeded: status.st_ino)]
      + [Int(status.st_size)] + times.flatMap { [Int($0.tv_sec), Int($0.tv_nsec)] }
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
