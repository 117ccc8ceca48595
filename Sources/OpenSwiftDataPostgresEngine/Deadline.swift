/// The time at which a blocking call must end.
package struct Deadline: Sendable {
  private let instant: ContinuousClock.Instant?

  /// Makes a deadline from now on; `nil` means no limit.
  package init(after limit: Duration?) {
    instant = limit.map { .now + $0 }
  }

  private init(instant: ContinuousClock.Instant?) {
    self.instant = instant
  }

  package var isPast: Bool { instant.map { $0 <= .now } ?? false }

  /// The earlier of both.
  package func earlier(_ other: Deadline) -> Deadline {
    guard let instant, let theirs = other.instant else { return self.instant == nil ? other : self }
    return Deadline(instant: min(instant, theirs))
  }

  /// The time that is left, in the form that `poll` wants: at least 1 before the deadline, -1 for no
  /// limit.
  var milliseconds: Int32 {
    guard let instant else { return -1 }
    let left = instant - .now
    return left > .zero ? max(left.milliseconds, 1) : 0
  }
}

extension Duration {
  /// In whole milliseconds, at most 24 days.
  package var milliseconds: Int32 {
    if self >= .milliseconds(Int32.max) { return .max }
    return self > .zero ? Int32(self / .milliseconds(1)) : 0
  }
}
