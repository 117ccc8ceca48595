/// Reports that a store of a container may have a new transaction, from any writer.
enum CommitSignals {
  /// Ends when its last reference is released.
  final class Observation: Sendable {
    private let own: Signals.Registration
    private let remote: RemoteObservation

    fileprivate init(_ own: Signals.Registration, _ remote: RemoteObservation) {
      self.own = own
      self.remote = remote
    }
  }

  /// - Parameter signal: Called on any thread, after a commit of this container or of another
  ///   writer.
  static func observe(
    _ container: ModelContainer, _ signal: @escaping @Sendable () -> Void
  ) -> Observation {
    Observation(
      container.coordinator.commits.add(signal),
      container.observeRemoteChanges { _ in signal() })
  }
}
