import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Identifies a content of a file: another content has another stamp.
///
/// The time of a file advances in steps of some milliseconds. So a file that was written just now
/// may be written again without a change of the stamp (`isSettled`).
struct FileStamp: Equatable, Sendable {
  let device: UInt64
  let inode: UInt64
  let size: Int64
  let seconds: Int
  let nanoseconds: Int

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    #if canImport(Darwin)
      (seconds, nanoseconds) = (status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec)
    #else
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    #endif
  }

  /// - Returns: `nil` if there is no file.
  /// - Throws: `SystemError`.
  init?(path: String) throws {
    var status = stat()
    do {
      _ = try SystemError.check("reading the state of \(path)") { stat(path, &status) }
    } catch let error as SystemError where error.number == ENOENT {
      return nil
    }
    self.init(status)
  }

  /// - Throws: `SystemError`.
  init(of file: borrowing OpenFile) throws {
    var status = stat()
    let number = file.number
    _ = try SystemError.check("reading the state of a file") { fstat(number, &status) }
    self.init(status)
  }

  /// How long ago the file was written.
  var age: Duration {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return .seconds(now.tv_sec - seconds) + .nanoseconds(now.tv_nsec - nanoseconds)
  }

  /// Whether every later write gives another stamp.
  var isSettled: Bool { age > .milliseconds(100) || age < .zero }
}
