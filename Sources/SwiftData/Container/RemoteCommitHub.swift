import Dispatch
import Foundation
import Synchronization

/// Passes on what other containers and processes commit to a container's stores, while there are
/// observers.
///
/// The way of a commit of another process to a `ResultsObserver`:
///
/// ```
///   another process commits
///        │  a file: the system reports the write (inotify), or a second has passed
///        │  a server: a poll finds a new number in the history, or the server notifies
///        ▼
///   CommitWatch               of a file: thread "SwiftData store files", one for the process
///        │  `StoreFileTiming` decides when to look
///        ▼
///   RemoteCommitHub           queue "SwiftData remote commits", one for the container
///        │  asks `RemoteCommitReader` what others have committed (`RemoteCommitJudge`);
///        │  most writes end here
///        ├──▶ ChangeLog       shared by the contexts, guarded by a lock
///        │       │  `ExternalChangeFeed.arrivals` of each context, still on the queue
///        │       ▼
///        │    LiveQueryDispatcher   a job on the actor of the context
///        │       │  the context applies the changes (`ExternalChangeApplication`)
///        │       ▼
///        │    LiveQuery ──▶ ResultsObserver, Query, sequences
///        │
///        ├──▶ coordinator.commits   on the queue: `HistoryObserver`, `HistorySequence`
///        └──▶ ModelContainer.remoteChange   on the queue: a notification
/// ```
///
/// Commits of the container's own contexts enter at `ChangeLog` and at `coordinator.commits`, on the
/// thread of the save.
///
/// 1. The first observation reads the end of the histories, without waiting for a thread that writes,
///    and creates the watches of the stores. Commits from then on are found. Models that contexts
///    already hold are read again.
/// 2. While observations exist, the queue handles one store at a time. A store that can't be read is read again
///    after a pause (`FailedLooks`).
/// 3. The last observation that ends removes the watches.
///
/// `state` guards all state.
final class RemoteCommitHub: Sendable {
  private struct State {
    var stores: WatchedStores?
    /// The containers to name in notifications, by observation. Several containers may share the
    /// stores.
    var observers: [ObjectIdentifier: WeakContainer] = [:]
    var isClosed = false
  }

  private struct WeakContainer {
    weak var container: ModelContainer?
  }

  private let state = Mutex(State())

  /// Whether the container itself observes, because its user has set that.
  var isObservedByContainer: Bool {
    state.withLock { $0.observers[ObjectIdentifier(self)] != nil }
  }

  func setObservedByContainer(_ container: ModelContainer, _ isObserved: Bool) {
    if isObserved {
      add(ObjectIdentifier(self), container)
    } else {
      remove(ObjectIdentifier(self))
    }
  }

  func observe(for container: ModelContainer) -> RemoteObservation {
    let observation = RemoteObservation(self)
    add(ObjectIdentifier(observation), container)
    return observation
  }

  /// Removes the watches; observations that begin later have none.
  func close() {
    let ended = state.withLock { state in
      state.isClosed = true
      defer { (state.stores, state.observers) = (nil, [:]) }
      return state.stores
    }
    withExtendedLifetime(ended) {}
  }

  private func add(_ key: ObjectIdentifier, _ container: ModelContainer) {
    let isFirst = state.withLock { state in
      if state.isClosed { return false }
      state.observers[key] = WeakContainer(container: container)
      return state.stores == nil
    }
    guard isFirst else { return }
    let coordinator = container.coordinator
    // Reads the stores, which may wait. So no other thread has to wait for that.
    let watched = WatchedStores(coordinator.stores) { [weak self, weak coordinator] found in
      guard let self, let coordinator else { return }
      coordinator.changeLog.add(found.changes, by: nil)
      coordinator.commits.fire()
      post(found)
    }
    let isNeeded = state.withLock { state in
      // Another thread may have been faster, or the observation may have ended.
      if state.isClosed || state.stores != nil || state.observers.isEmpty { return false }
      state.stores = watched
      return true
    }
    guard isNeeded else { return }
    watched.start(coordinator.stores)
    // For commits from before the watch existed.
    if !watched.isEmpty { coordinator.changeLog.add(.everything, by: nil) }
  }

  fileprivate func remove(_ key: ObjectIdentifier) {
    let ended: (WatchedStores?, WeakContainer?) = state.withLock { state in
      let observer = state.observers.removeValue(forKey: key)
      guard state.observers.isEmpty else { return (nil, observer) }
      defer { state.stores = nil }
      return (state.stores, observer)
    }
    withExtendedLifetime(ended) {}
  }

  private func post(_ found: WatchedStores.Found) {
    guard let token = found.token else { return }
    let observers = state.withLock { Array($0.observers.values) }
    var named: [ModelContainer] = []
    for container in observers.compactMap(\.container) where !named.contains(container) {
      named.append(container)
      NotificationCenter.default.post(
        name: ModelContainer.remoteChange, object: container,
        userInfo: [
          ModelContainer.remoteChangeStoreKey: found.store,
          ModelContainer.remoteChangeTokenKey: token,
        ])
    }
  }
}

/// Keeps the stores of a container watched while it exists.
final class RemoteObservation: Sendable {
  private let hub: RemoteCommitHub

  fileprivate init(_ hub: RemoteCommitHub) { self.hub = hub }

  deinit { hub.remove(ObjectIdentifier(self)) }
}

/// The stores of a container, with a watch for each and a queue to read them on.
///
/// `RemoteCommitReader` guards itself, `watched` is constant.
private final class WatchedStores: Sendable {
  /// What other containers and processes have committed to a store, and the end of its history
  /// then.
  struct Found: Sendable {
    let store: String
    /// `nil` if nothing new is known, and observers only have to read again.
    let token: DefaultHistoryToken?
    let changes: SavedChanges
  }

  private final class Watched: Sendable {
    let store: String
    let reader: RemoteCommitReader
    let watch: any CommitWatch
    let failures = Mutex(FailedLooks())

    init(store: String, reader: RemoteCommitReader, watch: any CommitWatch) {
      self.store = store
      self.reader = reader
      self.watch = watch
    }
  }

  private let queue = DispatchQueue(label: "SwiftData remote commits")
  private let watched: [Watched]
  /// Of stores that themselves report changes of other writers.
  private let observations = Mutex<[any AnyObject & Sendable]>([])
  private let report: @Sendable (Found) -> Void

  /// Reads the end of the histories.
  /// - Parameter report: Called on the queue after each look that found something.
  init(_ stores: [any DataStore], report: @escaping @Sendable (Found) -> Void) {
    self.report = report
    watched = stores.compactMap { store in
      guard let store = store as? any CommitWatchedStore else { return nil }
      return store.makeCommitWatch().map {
        Watched(
          store: store.identifier, reader: RemoteCommitReader(store.engine), watch: $0)
      }
    }
  }

  /// Begins to watch. Called once.
  func start(_ stores: [any DataStore]) {
    let observed = stores.compactMap { store in
      (store as? any ExternallyChangingStore).map { store in
        let identifier = store.identifier
        return store.observeExternalChanges { [weak self, queue] changes in
          queue.async { [weak self] in self?.report(Found(changes, in: identifier)) }
        }
      }
    }
    observations.withLock { $0 = observed }
    for index in watched.indices {
      watched[index].watch.start { [weak self, queue] in
        queue.async { [weak self] in self?.look(at: index) }
      }
    }
    // For commits from before the watch existed.
    for index in watched.indices { queue.async { [weak self] in self?.look(at: index) } }
  }

  /// Whether no store is watched; known after the start.
  var isEmpty: Bool { watched.isEmpty && observations.withLock(\.isEmpty) }

  private func look(at index: Int) {
    let watched = watched[index]
    let isReplaced = watched.watch.isReplaced()
    var found: RemoteCommitReader.Changes?
    var canReadAgain = false
    do {
      found = try watched.reader.look()
      canReadAgain = watched.failures.withLock { $0.succeeded() }
    } catch {
      let reason = (error as? SwiftDataError)?.reason ?? .other
      let (reports, pause) = watched.failures.withLock { $0.failed(because: reason) }
      // Observers of its data read once, and get the error.
      if reports { found = .everything }
      if let pause { look(at: index, after: pause) }
    }
    let isNew = found != nil || isReplaced
    guard var changes = found ?? (isNew || canReadAgain ? .everything : nil) else { return }
    if isReplaced || canReadAgain { changes.isEverything = true }
    let store = watched.store
    let token = isNew ? watched.reader.lastNumber.map { DefaultHistoryToken([store: $0]) } : nil
    report(Found(store: store, token: token, changes: SavedChanges(changes)))
  }

  private func look(at index: Int, after pause: Duration) {
    let milliseconds = Int(pause / .milliseconds(1))
    queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
      guard let self else { return }
      watched[index].failures.withLock { $0.pauseEnded() }
      look(at: index)
    }
  }
}

extension WatchedStores.Found {
  /// What a store without history reports.
  fileprivate init(_ changes: DataStoreExternalChanges, in store: String) {
    var saved = SavedChanges(
      updated: changes.updated.map { ($0, .all) }, deleted: changes.deleted,
      isEverything: changes.mayConcernOthers)
    saved.setInserted(changes.inserted)
    self.init(store: store, token: DefaultHistoryToken([store: 0]), changes: saved)
  }
}

extension SavedChanges {
  fileprivate init(_ changes: RemoteCommitReader.Changes) {
    self.init(
      updated: changes.updated, deleted: changes.deleted, isEverything: changes.isEverything)
    setInserted(changes.inserted)
  }
}
