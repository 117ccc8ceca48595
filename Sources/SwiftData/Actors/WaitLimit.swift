/// How long elements of a `WaitingQueue` may wait.
///
/// While any wait, one task ends the waits that last longer. An element costs no task and no timer of its
/// own. The owner of the queue guards it, and starts the task when the queue says so (`beginWatch`).
struct WaitLimit: Sendable {
  let duration: Duration

  /// An idle context takes an element within the lower one, and a clock can't tell times as far away as
  /// `Duration` can.
  private static let durations = Duration.milliseconds(100)...Duration.seconds(365 * 24 * 3600)

  /// - Parameter duration: `nil` for no limit.
  init?(_ duration: Duration?) {
    guard let duration else { return nil }
    self.duration = min(max(duration, Self.durations.lowerBound), Self.durations.upperBound)
  }

  /// - Parameters:
  ///   - firstArrival: The answer of the queue (`firstWatchedArrival`); nil too if the queue is no longer needed.
  ///   - end: Removes the elements that have waited since a time or longer, and tells their callers.
  ///
  /// The closures must not retain the queue's owner, which may have a container: the task sleeps for as long
  /// as the limit, even if nothing waits any more.
  func watch(
    firstArrival: @escaping @Sendable () -> ContinuousClock.Instant?,
    end: @escaping @Sendable (ContinuousClock.Instant) -> Void
  ) {
    let limit = duration
    Task.detached {
      while let arrival = firstArrival() {
        try? await Task.sleep(until: arrival + limit, clock: .continuous)
        end(.now - limit)
      }
    }
  }
}
