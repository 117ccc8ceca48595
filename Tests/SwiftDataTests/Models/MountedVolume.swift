import Foundation

/// A volume in memory with a given size, for tests of full disks and of copies between volumes.
enum MountedVolume {
  /// Whether this process may mount file systems.
  static let isPermitted: Bool = {
    do {
      let folder = try mount(size: "1m")
      unmount(folder)
      return true
    } catch {
      print("No file system can be mounted: tests of full disks and other volumes are SKIPPED.")
      return false
    }
  }()

  /// Lends the folder of a volume, which is removed afterwards.
  /// - Parameter size: As for `mount`, such as `2m`.
  static func use<R>(size: String, _ body: (URL) async throws -> R) async throws -> R {
    let folder = try mount(size: size)
    defer { unmount(folder) }
    return try await body(folder)
  }

  static func resize(_ folder: URL, to size: String) throws {
    try run("mount", "-o", "remount,size=\(size)", folder.path)
  }

  private static func mount(size: String) throws -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("swiftdata-volume-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    do {
      try run("mount", "-t", "tmpfs", "-o", "size=\(size)", "tmpfs", folder.path)
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
    return folder
  }

  private static func unmount(_ folder: URL) {
    // Lazily, because a store that is being released may have its file open for a moment.
    try? run("umount", "-l", folder.path)
    try? FileManager.default.removeItem(at: folder)
  }

  private static func run(_ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw CocoaError(.featureUnsupported) }
  }
}
