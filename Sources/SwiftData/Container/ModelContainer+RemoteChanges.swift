public import Foundation

/// Changes by other containers and other processes. None of this is in Apple's framework.
extension ModelContainer {
  /// Posted when another container or another process has changed a store of this container, while
  /// ``observesRemoteChanges`` is true.
  ///
  /// The object is the container. The user info has the identifier of the store under
  /// ``remoteChangeStoreKey``, and the end of its history under ``remoteChangeTokenKey``. It is posted on a
  /// thread of its own, after the contexts of the container can see the changes.
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
  /// The changes are those behind the token that the notification before had. In a store without history its
  /// number is 0.
  public static let remoteChangeTokenKey = "historyToken"

  /// Whether this container notices what other containers and processes commit to its files.
  ///
  /// False at first. While it is true, models of its contexts follow those commits as they follow saves of
  /// other contexts, and ``remoteChange`` is posted. It takes a few hundredths of a second, and nothing
  /// while nobody writes: on Linux the system tells of writes. On file systems where it does not, as on those
  /// of a network, the file is looked at once a second. What was written without history makes contexts read
  /// again all models that are in use.
  ///
  /// Setting it to true reads the end of the history, once per store. Stores in memory and custom stores have
  /// no remote changes.
  public var observesRemoteChanges: Bool {
    get { coordinator.remoteObservers.isObservedByContainer }
    set { coordinator.remoteObservers.setObservedByContainer(self, newValue) }
  }

  /// Watches the stores for an observer, as long as the observation lives.
  /// - Parameter onCommit: Called on a thread of its own, after the contexts can see the changes.
  func observeRemoteChanges(
    onCommit: (@Sendable (RemoteChanges.Commit) -> Void)? = nil
  ) -> RemoteObservation {
    coordinator.remoteObservers.start(for: self, onCommit: onCommit)
  }
}
