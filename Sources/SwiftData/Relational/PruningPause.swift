/// After pruning did not get the lock that excludes other writers, it is not tried for some time: longer
/// after each failure, because saves of all processes wait behind an attempt.
package struct PruningPause {
  private var failures = 0
  private var end: ContinuousClock.Instant?

  /// How long an attempt waits for the lock. Saves end in this time, long units of work may not.
  static let lockLimit = Duration.milliseconds(100)
  private static let first = Duration.milliseconds(100)
  private static let longest = Duration.seconds(30)

  package init() {}

  package func isOver(at now: ContinuousClock.Instant) -> Bool { end.map { now >= $0 } ?? true }

  /// The lock was not free.
  package mutating func begin(at now: ContinuousClock.Instant) {
    end = now + min(PruningPause.first * (1 << min(failures, 16)), PruningPause.longest)
    failures += 1
  }

  /// The lock was taken.
  package mutating func reset() { self = PruningPause() }
}
