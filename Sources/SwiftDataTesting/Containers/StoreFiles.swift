import Foundation

/// The files of one store: the database, its log, and the folder of large values.
struct StoreFiles: Sendable {
  let url: URL
  /// The database itself, with symbolic links resolved: SQLite keeps the log beside it.
  private let store: URL

  init(of url: URL) {
    self.url = url
    store = url.resolvingSymlinksInPath()
  }

  /// Copies the files as they are now, without opening the database. The copied index of the log
  /// (`-shm`) would name the locks of other connections, so that it is left out.
  /// - Parameter folder: Keeps the files that are read here open: closing one would release the
  ///   locks that SQLite holds on it in this process.
  func copy(to target: URL, keepingOpenIn folder: TemporaryFolder) throws {
    let manager = FileManager.default
    try manager.createDirectory(
      at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
    for suffix in ["-wal", "-journal", ""] {
      let source = URL(fileURLWithPath: store.path + suffix)
      let destination = URL(fileURLWithPath: target.path + suffix)
      if suffix != "", !manager.fileExists(atPath: source.path) { continue }
      let handle = try FileHandle(forReadingFrom: source)
      let bytes = try handle.readToEnd() ?? Data()
      folder.keepOpen(handle)
      try bytes.write(to: destination)
    }
    try copyValues(to: target)
  }

  /// Several folders may have the same target, because the names of the stores differ.
  private func copyValues(to target: URL) throws {
    let targets = StoreFiles.folders(of: target)
    // Earlier releases named the folder after a symbolic link to the store.
    for source in [store, url] {
      for (name, copied) in zip(StoreFiles.folders(of: source), targets) {
        try StoreFiles.add(name, to: copied)
      }
    }
  }

  /// Copies a file or a folder, if it exists. Files that the target has already stay as they are.
  private static func add(_ source: URL, to target: URL) throws {
    let manager = FileManager.default
    var isFolder: ObjCBool = false
    guard manager.fileExists(atPath: source.path, isDirectory: &isFolder) else { return }
    if isFolder.boolValue {
      try manager.createDirectory(at: target, withIntermediateDirectories: true)
      for name in try manager.contentsOfDirectory(atPath: source.path) {
        try add(source.appendingPathComponent(name), to: target.appendingPathComponent(name))
      }
    } else if !manager.fileExists(atPath: target.path) {
      try manager.copyItem(at: source, to: target)
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
