/// Runs the flushes of a follower as jobs on the actor of its context; wakings before a job begins are one.
enum FollowerPump {
  /// Used on the actor of the context only.
  private final class Reference: @unchecked Sendable {
    private(set) weak var follower: ContextFollower?

    init(_ follower: ContextFollower) { self.follower = follower }
  }

  /// - Returns: What wakes the pump, from any thread; `nil` where no actor is known.
  static func wake(
    _ follower: ContextFollower, _ context: ModelContext, isolation: isolated (any Actor)?
  ) -> (@Sendable () -> Void)? {
    let reference = Reference(follower)
    guard isolation != nil else {
      guard let executor = context.core.currentExecutor else { return nil }
      return { executor.schedule { reference.follower?.flush() } }
    }
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    Task {
      // Captured, so that the task runs on the actor.
      _ = isolation
      for await _ in stream { reference.follower?.flush() }
    }
    let ending = StreamEnding(continuation)
    return { ending.continuation.yield() }
  }
}
