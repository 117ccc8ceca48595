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

/// The lock of the writers of documents in a folder. It ends with this value, or with the process.
///
/// The folder itself is locked (`flock`), so no file for the lock is left in it. Stores of one
/// process exclude each other too, because each lock opens the folder for itself.
struct FolderLock: ~Copyable {
  private let folder: OpenFile

  /// - Throws: `SystemError`, or a `DocumentStoreError` after the limit.
  init(
    _ path: String, file: URL, within limit: Duration, until end: ContinuousClock.Instant
  ) throws {
    let folder = try OpenFile(path, O_RDONLY | O_DIRECTORY)
    try FolderLock.lock(folder, path, file, within: limit, until: end)
    self.folder = folder
  }

  private static func lock(
    _ folder: borrowing OpenFile, _ path: String, _ file: URL, within limit: Duration,
    until end: ContinuousClock.Instant
  ) throws {
    let number = folder.number
    var pause: UInt32 = 500
    while flock(number, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw SystemError("locking \(path)") }
      if ContinuousClock.now >= end {
        throw DocumentStoreError(
          .locked,
          "\(holder(of: try FileStamp(of: folder))) has locked the folder \(path) for writing. The limit of "
            + "\(limit), which includes the wait for earlier saves of this store, is over. Nothing was "
            + "saved; save again when it is done.", url: file)
      }
      usleep(pause)
      pause = min(pause * 2, 20_000)
    }
  }

  func synchronize() throws { try folder.synchronize() }

  /// The process that has the lock, as far as the system tells.
  private static func holder(of folder: FileStamp) -> String {
    let unknown = "Another store or process"
    #if os(Linux) || os(Android)
      // Each line: number, kind, mode, access, process, device:inode, range.
      guard let table = try? String(contentsOfFile: "/proc/locks", encoding: .utf8) else {
        return unknown
      }
      for line in table.split(separator: "\n") {
        let fields = line.split(separator: " ")
        guard fields.count > 5, fields[1] == "FLOCK", let process = Int32(fields[4]),
          fields[5].split(separator: ":").last == "\(folder.inode)"[...]
        else { continue }
        if process == getpid() { return "Another store of this process" }
        let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
        let suffix = name.map { " (\($0.trimmingCharacters(in: .whitespacesAndNewlines)))" } ?? ""
        return "The process \(process)\(suffix)"
      }
    #endif
    return unknown
  }
}
