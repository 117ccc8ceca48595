/// Calls when a store of a container may have a new transaction, whoever made it.
enum CommitSignals {
  /// Ends with its last reference.
  final class Observation: Sendable {
    private let own: Signals.Registration
    private let remote: RemoteObservation

    fileprivate init(_ own: Signals.Registration, _ remote: RemoteObservation) {
      self.own = own
      self.remote = remote
    }
  }

  /// - Parameter signal: Called on any thread, after a commit of the container, or of others.
  static func observe(
    _ container: ModelContainer, _ signal: @escaping @Sendable () -> Void
  ) -> Observation {
    Observation(
      container.coordinator.commits.add(signal),
      container.observeRemoteChanges { _ in signal() })
  }
}
