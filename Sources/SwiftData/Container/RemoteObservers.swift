import Foundation
import Synchronization

/// The observers of the remote changes of a container's stores. The stores are watched while there
/// is at least one.
final class RemoteObservers: Sendable {
  private struct State {
    var changes: RemoteChanges?
    /// The containers to name in notifications, by observation. Several containers may share the
    /// stores.
    var observers: [ObjectIdentifier: Observer] = [:]
  }

  private struct Observer {
    weak var container: ModelContainer?
    let onCommit: (@Sendable (RemoteChanges.Commit) -> Void)?
  }

  private let state = Mutex(State())

  /// Whether the container itself observes, because its user has set that.
  var isObservedByContainer: Bool {
    state.withLock { $0.observers[ObjectIdentifier(self)] != nil }
  }

  func setObservedByContainer(_ container: ModelContainer, _ isObserved: Bool) {
    if isObserved {
      add(ObjectIdentifier(self), container, nil)
    } else {
      remove(ObjectIdentifier(self))
    }
  }

  /// - Parameter onCommit: Called on a separate thread.
  func start(
    for container: ModelContainer, onCommit: (@Sendable (RemoteChanges.Commit) -> Void)? = nil
  ) -> RemoteObservation {
    let observation = RemoteObservation(self)
    add(ObjectIdentifier(observation), container, onCommit)
    return observation
  }

  private func add(
    _ key: ObjectIdentifier, _ container: ModelContainer,
    _ onCommit: (@Sendable (RemoteChanges.Commit) -> Void)?
  ) {
    state.withLock { state in
      state.observers[key] = Observer(container: container, onCommit: onCommit)
      if state.changes != nil { return }
      let coordinator = container.coordinator
      state.changes = RemoteChanges(coordinator.stores, coordinator.changeLog) { [weak self] in
        self?.tell($0)
      }
    }
  }

  fileprivate func remove(_ key: ObjectIdentifier) {
    let ended: (RemoteChanges?, Observer?) = state.withLock { state in
      let observer = state.observers.removeValue(forKey: key)
      guard state.observers.isEmpty else { return (nil, observer) }
      defer { state.changes = nil }
      return (state.changes, observer)
    }
    withExtendedLifetime(ended) {}
  }

  private func tell(_ commit: RemoteChanges.Commit) {
    let observers = state.withLock { Array($0.observers.values) }
    for observer in observers { observer.onCommit?(commit) }
    var told: [ModelContainer] = []
    for container in observers.compactMap(\.container) where !told.contains(container) {
      told.append(container)
      NotificationCenter.default.post(
        name: ModelContainer.remoteChange, object: container,
        userInfo: [
          ModelContainer.remoteChangeStoreKey: commit.store,
          ModelContainer.remoteChangeTokenKey: commit.token,
        ])
    }
  }
}

/// Keeps the stores of a container watched while it exists.
final class RemoteObservation: Sendable {
  private let observers: RemoteObservers

  fileprivate init(_ observers: RemoteObservers) { self.observers = observers }

  deinit { observers.remove(ObjectIdentifier(self)) }
}
