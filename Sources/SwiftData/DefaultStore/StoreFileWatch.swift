/// Calls a function after writes to the file of a store, as long as this object lives.
///
/// Reports writes of this and other processes. All commits within a few milliseconds cause one
/// call, and some further calls follow after the last write (`StoreFileTiming`). The receiver must
/// therefore ask the store what was committed, if anything. A file that is removed or replaced
/// counts as written.
///
/// On network and user-space file systems the system does not report writes of other machines and
/// programs; then, and if the system has no more watches, there is a call every second.
package final class StoreFileWatch: Sendable {
  /// The number of files that the process watches.
  package static var count: Int { StoreFileWatchLoop.count }

  private let number: Int

  /// - Parameters:
  ///   - path: The file of an open store.
  ///   - onWrite: Called on the thread of all watches, so it must not block.
  package init(_ path: String, onWrite: @escaping @Sendable () -> Void) {
    number = StoreFileWatchLoop.add(path, onWrite)
  }

  deinit { StoreFileWatchLoop.remove(number) }
}
