public import Foundation

/// Changes by other containers and processes. None of this is in Apple's framework.
extension ModelContainer {
  /// Posted when another container or process has changed a store of this container, while
  /// ``observesRemoteChanges`` is true.
  ///
  /// The object is the container. The user info has the identifier of the store under
  /// ``remoteChangeStoreKey``, and the end of its history under ``remoteChangeTokenKey``. It is
  /// posted on a separate thread, after the contexts of the container can see the changes.
  ///
  /// If a save or a transaction of this process was running when ``observesRemoteChanges`` was set, it
  /// is posted once after that too: others may have committed in the meantime. So it is if a store can't be
  /// read for a while.
  ///
  /// ```swift
  /// container.observesRemoteChanges = true
  /// let observer = NotificationCenter.default.addObserver(
  ///   forName: ModelContainer.remoteChange, object: container, queue: nil
  /// ) { notification in
  ///   let end = notification.userInfo?[ModelContainer.remoteChangeTokenKey] as? DefaultHistoryToken
  ///   print("changed up to transaction", end?.id ?? 0)
  /// }
  /// ```
  public static let remoteChange = Notification.Name("ModelContainer/remoteChange")

  /// The key of `remoteChange` for the identifier of the store, a `String`.
  public static let remoteChangeStoreKey = "storeIdentifier"

  /// The key of `remoteChange` for the end of the store's history, a `DefaultHistoryToken`.
  ///
  /// The changes are those after the token of the previous notification. In a store without history
  /// its number is 0.
  public static let remoteChangeTokenKey = "historyToken"

  /// Whether this container detects what other containers and processes commit to its stores.
  ///
  /// False by default. While it is true, models of its contexts follow those commits as they follow
  /// saves of other contexts, and ``remoteChange`` is posted. Detection takes a few hundredths of a
  /// second, and costs nothing while nothing is written: on Linux the system reports writes. On
  /// file systems that don't report them, such as network file systems, the file is checked once a
  /// second. After changes without history, contexts read all models in use again.
  ///
  /// Stores of the product SwiftDataPostgres ask their server for the end of the history, every 20 ms
  /// to 2 s, or listen to its notifications.
  ///
  /// Setting it to true reads the end of the history, once per store. Of custom stores, those that
  /// conform to ``ExternallyChangingStore`` have remote changes. Stores in memory have none.
  public var observesRemoteChanges: Bool {
    get { coordinator.remoteCommits.isObservedByContainer }
    set { coordinator.remoteCommits.setObservedByContainer(self, newValue) }
  }

  /// Watches the stores for an observer, as long as the observation exists.
  func observeRemoteChanges() -> RemoteObservation { coordinator.remoteCommits.observe(for: self) }

  /// - Parameter signal: Called on any thread after each commit to a store, by this container or
  ///   another writer, as long as the observation exists. The contexts can see the changes then.
  func observeCommits(_ signal: @escaping @Sendable () -> Void) -> CommitObservation {
    CommitObservation(
      signal: coordinator.commits.add(signal), remoteCommits: observeRemoteChanges())
  }
}

/// Ends when its last reference is released.
struct CommitObservation: Sendable {
  let signal: Signals.Registration
  let remoteCommits: RemoteObservation
}
