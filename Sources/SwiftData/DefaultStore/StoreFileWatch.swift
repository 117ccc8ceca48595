/// Calls after writes to the file of a store, for as long as it lives.
///
/// Whoever writes, another process or this one, any number of commits of a few milliseconds are one call,
/// and some further calls follow when it is quiet again (`StoreFileTiming`). So the receiver asks the
/// store what was committed, if anything. A file that is removed or replaced counts as written.
///
/// Where the system does not tell the writes of others, on file systems of a network or in user space, and
/// where it has no more room for watches, there is a call each second.
package final class StoreFileWatch: Sendable {
  /// How many files the process watches.
  package static var count: Int { StoreFileWatchLoop.count }

  private let number: Int

  /// - Parameters:
  ///   - path: The file of a store that is open.
  ///   - onWrite: Called on the thread of all watches, so it must not wait.
  package init(_ path: String, onWrite: @escaping @Sendable () -> Void) {
    number = StoreFileWatchLoop.add(path, onWrite)
  }

  deinit { StoreFileWatchLoop.remove(number) }
}
