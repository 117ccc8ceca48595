import Synchronization

extension DefaultStore: CommitWatchedStore {
  /// Watches the file; `nil` for a store in memory.
  package func makeCommitWatch() -> (any CommitWatch)? {
    if configuration.isStoredInMemoryOnly { return nil }
    return StoreFileCommitWatch(self)
  }
}

/// Watches the file of a default store for `RemoteCommitHub`.
private final class StoreFileCommitWatch: CommitWatch {
  private let path: String
  private let identity: FileIdentity
  private let watch = Mutex<StoreFileWatch?>(nil)

  init(_ store: DefaultStore) {
    path = store.configuration.url.path
    identity = FileIdentity(of: store.configuration.url)
  }

  func start(_ onCommit: @escaping @Sendable () -> Void) {
    let made = StoreFileWatch(path, onWrite: onCommit)
    watch.withLock { $0 = made }
  }

  func isReplaced() -> Bool { identity.hasChanged() }
}
