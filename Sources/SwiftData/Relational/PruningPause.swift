/// After pruning did not get the lock that excludes other writers, it is not tried for some time: longer
/// after each failure, because saves of all processes wait behind an attempt.
package struct PruningPause {
  private var failures = 0
  private var end: ContinuousClock.Instant?

  private static let first = Duration.milliseconds(100)
  private static let longest = Duration.seconds(30)

  package init() {}

  /// How long an attempt waits for the lock. Saves end in the shorter time, long units of work may not; where
  /// these always overlap, only the longer one ever suffices.
  package var lockLimit: Duration {
    let isAtItsLongest = failures > 0 && pause(after: failures - 1) == PruningPause.longest
    return isAtItsLongest ? .seconds(1) : .milliseconds(100)
  }

  package func isOver(at now: ContinuousClock.Instant) -> Bool { end.map { now >= $0 } ?? true }

  /// The lock was not free.
  package mutating func begin(at now: ContinuousClock.Instant) {
    end = now + pause(after: failures)
    failures += 1
  }

  private func pause(after failures: Int) -> Duration {
    min(PruningPause.first * (1 << min(failures, 16)), PruningPause.longest)
  }

  /// The lock was taken.
  package mutating func reset() { self = PruningPause() }
}
