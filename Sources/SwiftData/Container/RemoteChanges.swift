import Dispatch
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

/// Notices what other containers and other processes commit to the files of a container, while somebody
/// observes that.
///
/// 1. `init` looks at each store: what is committed from then on is noticed. Contexts that hold models from
///    before read them again.
/// 2. The watch of a file calls after writes, those of this container among them.
/// 3. On the queue the store is asked what others have committed; most calls end here.
/// 4. That goes into the `ChangeLog`, from which the contexts take it as they take what other contexts
///    save, and then to `onCommit`.
///
/// The queue does one store after the other; `RemoteCommitsReader` guards itself, `files` is constant.
final class RemoteChanges: Sendable {
  /// What others have committed to a store, and where that ends in its history.
  struct Commit: Sendable {
    let store: String
    let token: DefaultHistoryToken
    let changes: SavedChanges
  }

  private struct File: Sendable {
    let store: DefaultStore
    let reader: RemoteCommitsReader
    let identity: KnownIdentity
    let failures = FailureMemory()
  }

  private let queue = DispatchQueue(label: "SwiftData remote changes")
  private let files: [File]
  private let watches: Mutex<[StoreFileWatch]>
  private let changeLog: ChangeLog
  private let onCommit: @Sendable (Commit) -> Void

  /// - Parameter onCommit: Called on a thread of its own after each look that found something.
  init(
    _ stores: [any DataStore], _ changeLog: ChangeLog,
    onCommit: @escaping @Sendable (Commit) -> Void
  ) {
    self.changeLog = changeLog
    self.onCommit = onCommit
    files = stores.compactMap { store in
      guard let store = store as? DefaultStore, !store.configuration.isStoredInMemoryOnly else {
        return nil
      }
      return File(
        store: store, reader: RemoteCommitsReader(store.engine),
        identity: KnownIdentity(of: store.configuration.url))
    }
    watches = Mutex([])
    let made = files.indices.map { index in
      StoreFileWatch(files[index].store.configuration.url.path) { [weak self, queue] in
        queue.async { [weak self] in self?.look(at: index) }
      }
    }
    watches.withLock { $0 = made }
    if files.isEmpty { return }
    changeLog.add(.everything, by: nil)
    // What was committed before there was a watch.
    for index in files.indices { queue.async { [weak self] in self?.look(at: index) } }
  }

  private func look(at index: Int) {
    let file = files[index]
    let isReplaced = file.identity.hasChanged()
    var found: RemoteCommits?
    do {
      found = try file.reader.look()
      file.failures.forget()
    } catch {
      // It is asked again after the next write. Whoever shows what it had reads once, and gets the error.
      if file.failures.isFirst() { found = .everything }
    }
    guard var commits = found ?? (isReplaced ? RemoteCommits() : nil) else { return }
    if isReplaced { commits.isEverything = true }
    let changes = SavedChanges(commits)
    changeLog.add(changes, by: nil)
    let store = file.store.identifier
    onCommit(
      Commit(store: store, token: DefaultHistoryToken([store: commits.last]), changes: changes))
  }
}

extension SavedChanges {
  fileprivate init(_ commits: RemoteCommits) {
    self.init(
      updated: commits.updated, deleted: commits.deleted, isEverything: commits.isEverything)
    setInserted(commits.inserted)
  }
}

extension RemoteCommits {
  fileprivate static var everything: RemoteCommits {
    var commits = RemoteCommits()
    commits.isEverything = true
    return commits
  }
}

/// Which file a path leads to, to notice that another one has taken its place.
private final class KnownIdentity: Sendable {
  private struct Identity: Equatable {
    let device: UInt64
    let number: UInt64
  }

  private let path: String
  private let known: Mutex<Identity?>

  init(of url: URL) {
    path = url.path
    known = Mutex(KnownIdentity.identity(of: url.path))
  }

  private static func identity(of path: String) -> Identity? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Identity(
      device: UInt64(truncatingIfNeeded: status.st_dev),
      number: UInt64(truncatingIfNeeded: status.st_ino))
  }

  /// Whether it was another one at the last call.
  func hasChanged() -> Bool {
    let now = KnownIdentity.identity(of: path)
    return known.withLock { known in
      defer { known = now }
      return known != now
    }
  }
}
