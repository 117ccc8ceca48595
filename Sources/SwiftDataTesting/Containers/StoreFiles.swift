import Foundation

/// The files of one store: the database, its log, and the folder of large values.
struct StoreFiles: Sendable {
  let url: URL

  init(of url: URL) { self.url = url }

  /// Copies the files as they are now, without opening the database. The copied index of the log
  /// (`-shm`) would name the locks of other connections, so that it is left out.
  /// - Parameter folder: Keeps the files that are read here open: closing one would release the
  ///   locks that SQLite holds on it in this process.
  func copy(to target: URL, keepingOpenIn folder: TemporaryFolder) throws {
    let manager = FileManager.default
    try manager.createDirectory(
      at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
    for suffix in ["-wal", "-journal", ""] {
      let source = URL(fileURLWithPath: url.path + suffix)
      let destination = URL(fileURLWithPath: target.path + suffix)
      if suffix != "", !manager.fileExists(atPath: source.path) { continue }
      let handle = try FileHandle(forReadingFrom: source)
      let bytes = try handle.readToEnd() ?? Data()
      folder.keepOpen(handle)
      try bytes.write(to: destination)
    }
    try copyValues(to: target)
  }

  private func copyValues(to target: URL) throws {
    let manager = FileManager.default
    for (name, copied) in zip(StoreFiles.folders(of: url), StoreFiles.folders(of: target)) {
      guard manager.fileExists(atPath: name.path) else { continue }
      try manager.copyItem(at: name, to: copied)
    }
  }

  /// The folders in which values outside the rows may be.
  private static func folders(of url: URL) -> [URL] {
    let bases = [url.deletingPathExtension().lastPathComponent, url.lastPathComponent]
    return bases.map {
      url.deletingLastPathComponent().appendingPathComponent(".\($0)_SUPPORT", isDirectory: true)
    }
  }
}
