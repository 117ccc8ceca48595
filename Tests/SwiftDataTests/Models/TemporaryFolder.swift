import Foundation

/// A folder that is deleted with its last reference.
final class TemporaryFolder: Sendable {
  /// The folder of all temporary folders, which is deleted when the process ends.
  ///
  /// It is in memory, where the system has a file system there with enough room: a new store waits for
  /// a disk several times, and no test switches the power off.
  static let parent: URL = {
    let folder = fileSystem.appendingPathComponent(
      "swiftdata-tests-\(ProcessInfo.processInfo.processIdentifier)", isDirectory: true)
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(at: TemporaryFolder.parent) }
    return folder
  }()

  private static var fileSystem: URL {
    #if os(Linux)
      let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
      var room = statvfs()
      if statvfs(memory.path, &room) == 0, access(memory.path, W_OK) == 0,
        UInt64(room.f_bavail) * UInt64(room.f_frsize) > 4 << 30
      {
        return memory
      }
    #endif
    return FileManager.default.temporaryDirectory
  }

  let url = TemporaryFolder.parent
    .appendingPathComponent("swiftdata-\(UUID().uuidString)", isDirectory: true)

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// Makes a folder with the same files as another one, such as a store that many tests begin with.
  init(copying other: TemporaryFolder) throws {
    try FileManager.default.copyItem(at: other.url, to: url)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var store: URL { url.appendingPathComponent("test.store") }
}
