/// Runs the flushes of a follower as jobs on its context's actor.
enum ChangeObserverScheduler {
  /// Used on the actor of the context only.
  private final class Reference: @unchecked Sendable {
    private(set) weak var follower: ContextChangeObserver?

    init(_ follower: ContextChangeObserver) { self.follower = follower }
  }

  /// - Returns: A closure that wakes the pump, from any thread; `nil` if no actor is known.
  static func wake(
    _ follower: ContextChangeObserver, _ context: ModelContext, isolation: (any Actor)?
  ) -> (@Sendable () -> Void)? {
    let reference = Reference(follower)
    if let isolation, isolation !== MainActor.shared {
      let actor = ActorReference(isolation)
      return {
        guard let actor = actor.actor else { return }
        Task { await flush(reference, on: actor) }
      }
    }
    let known = isolation == nil ? context.core.currentExecutor : .mainActor
    guard let executor = known else { return nil }
    return { executor.schedule { reference.follower?.flush() } }
  }

  private static func flush(_ reference: Reference, on actor: isolated any Actor) {
    reference.follower?.flush()
  }
}

/// A weak reference to an actor, so that an observer does not retain the actor that owns it.
final class ActorReference: @unchecked Sendable {
  private(set) weak var actor: (any Actor)?

  init(_ actor: any Actor) { self.actor = actor }
}
