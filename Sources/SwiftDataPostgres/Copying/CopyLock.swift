import Foundation
import SwiftData

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// The lock of a copy into a file. It ends with this object, or with the process.
///
/// The lock is on a file of its own: SQLite's locks on a database end when any descriptor of that file
/// is closed.
final class CopyLock {
  private let path: String
  private let file: Int32

  /// - Throws: `SwiftDataError.loadIssueModelContainer` if another copy has the lock.
  init(for target: URL) throws {
    path = target.path + ExternalFolder.copySuffix + ".lock"
    while true {
      let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
      guard file >= 0 else { throw CopyLock.failure(target, POSIXError.last) }
      // Where the file system has no locks, the copy notices a file that another one replaces.
      if flock(file, LOCK_EX | LOCK_NB) != 0, errno != ENOLCK, errno != EOPNOTSUPP, errno != ENOSYS
      {
        let error = POSIXError.last
        close(file)
        guard error.code == .EWOULDBLOCK else { throw CopyLock.failure(target, error) }
        throw SwiftDataError.loadIssueModelContainer.with(
          "Another copy into \(target.path) is running. Wait for its end, or end it, and run the copy again.",
          doing: "copying a store")
      }
      // The copy that had the lock may have removed the file meanwhile.
      var status = stat()
      if fstat(file, &status) == 0, status.st_nlink > 0 {
        self.file = file
        return
      }
      close(file)
    }
  }

  deinit {
    unlink(path)
    close(file)
  }

  private static func failure(_ target: URL, _ error: POSIXError) -> SwiftDataError {
    .storeWriteFailure.with(
      "No file can be written beside \(target.path). Check the folder and the free space of its volume.",
      doing: "copying a store", underlying: error)
  }
}
