import Foundation
import Synchronization

/// A folder for the files of one temporary container, removed with the last reference: that of the
/// `TemporaryContainer` or of an open store.
final class TemporaryFolder: Sendable {
  let url: URL

  private struct State {
    var isKept = false
    var count = 0
    /// Open files, which must not be closed while the store is in use: see `StoreFiles.copy`.
    var handles: [FileHandle] = []
  }

  private let state = Mutex(State())

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("SwiftDataTesting-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    RemainingFolders.add(url)
  }

  deinit {
    for handle in state.withLock({ $0.handles }) { try? handle.close() }
    if isKept { return }
    try? FileManager.default.removeItem(at: url)
    RemainingFolders.remove(url)
  }

  var isKept: Bool {
    get { state.withLock { $0.isKept } }
    set {
      state.withLock { $0.isKept = newValue }
      if newValue { RemainingFolders.remove(url) } else { RemainingFolders.add(url) }
    }
  }

  /// A URL in a folder of its own, which does not exist yet.
  func newURL(named name: String) -> URL {
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    return url.appendingPathComponent("\(number)", isDirectory: true).appendingPathComponent(name)
  }

  func keepOpen(_ handle: sending FileHandle) {
    state.withLock { $0.handles.append(handle) }
  }
}

/// The folders to remove when the process ends: a main context that the last test has used is
/// released on the main actor, which may not get to it.
private enum RemainingFolders {
  private static let folders = Mutex<Set<URL>>([])

  private static let removal: Void = {
    atexit {
      for folder in RemainingFolders.folders.withLock({ $0 }) {
        try? FileManager.default.removeItem(at: folder)
      }
    }
  }()

  static func add(_ folder: URL) {
    _ = removal
    folders.withLock { _ = $0.insert(folder) }
  }

  static func remove(_ folder: URL) { folders.withLock { _ = $0.remove(folder) } }
}
