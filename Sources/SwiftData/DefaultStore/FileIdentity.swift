import Foundation
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

/// The identity of the file at a path, to detect that another file has replaced it.
package final class FileIdentity: Sendable {
  private struct Identity: Equatable {
    let device: UInt64
    let number: UInt64
  }

  private let path: String
  private let known: Mutex<Identity?>

  package init(of url: URL) {
    path = url.path
    known = Mutex(FileIdentity.identity(of: url.path))
  }

  private static func identity(of path: String) -> Identity? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Identity(
      device: UInt64(truncatingIfNeeded: status.st_dev),
      number: UInt64(truncatingIfNeeded: status.st_ino))
  }

  /// Whether the file is another one than at the last call.
  package func hasChanged() -> Bool {
    let now = FileIdentity.identity(of: path)
    return known.withLock { known in
      defer { known = now }
      return known != now
    }
  }
}
