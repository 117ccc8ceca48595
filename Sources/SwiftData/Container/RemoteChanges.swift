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

/// Detects what other containers and processes commit to the files of a container, while this is
/// observed.
///
/// 1. `init` reads the state of each store: commits from then on are detected. Models that contexts
///    already hold are read again.
/// 2. The watch of a file calls back after writes, including those of this container.
/// 3. On the queue, the store is asked for the commits of others; most calls end here.
/// 4. These go into the `ChangeLog`, from which contexts take them like saves of other contexts,
///    and then to `onCommit`.
///
/// The queue handles one store at a time; `RemoteCommitsReader` guards itself, `files` is constant.
final class RemoteChanges: Sendable {
  /// What other containers and processes have committed to a store, and the end of its history
  /// then.
  struct Commit: Sendable {
    let store: String
    let token: DefaultHistoryToken
    let changes: SavedChanges
  }

  private struct File: Sendable {
    let store: DefaultStore
    let reader: RemoteCommitsReader
    let identity: FileIdentity
    let failures = FailureFlag()
  }

  private let queue = DispatchQueue(label: "SwiftData remote changes")
  private let files: [File]
  private let watches: Mutex<[StoreFileWatch]>
  private let changeLog: ChangeLog
  private let onCommit: @Sendable (Commit) -> Void

  /// - Parameter onCommit: Called on a separate thread after each check that found something.
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
        identity: FileIdentity(of: store.configuration.url))
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
    // For commits from before the watch existed.
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
      // The store is read again after the next write. Observers of its data read once, and get the
      // error.
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

/// The identity of the file at a path, to detect that another file has replaced it.
private final class FileIdentity: Sendable {
  private struct Identity: Equatable {
    let device: UInt64
    let number: UInt64
  }

  private let path: String
  private let known: Mutex<Identity?>

  init(of url: URL) {
    path = url.path
    known = Mutex(FileIdentity.identity(of: url.path))
  }

  private static func identity(of path: String) -> Identity? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Identity(
      device: UInt64(truncatingIfNeeded: status.st_dev),
      number: UInt64(truncatingIfNeeded: status.st_ino))
  }

  /// Whether the file is another one than at the last call.
  func hasChanged() -> Bool {
    let now = FileIdentity.identity(of: path)
    return known.withLock { known in
      defer { known = now }
      return known != now
    }
  }
}
