/// The time at which a blocking call must end.
package struct Deadline: Sendable {
  private var instant: ContinuousClock.Instant?
  private let limit: Duration?

  /// Makes a deadline from now on; `nil` means no limit.
  package init(after limit: Duration?) {
    self.limit = limit
    instant = limit.map { .now + $0 }
  }

  private init(instant: ContinuousClock.Instant?) {
    self.instant = instant
    limit = instant.map { $0 - .now }
  }

  /// Gives the whole time again, from now on.
  mutating func restart() { instant = limit.map { .now + $0 } }

  /// The deadline with the whole time from a later instant on, unless it is later already.
  func begun(at start: ContinuousClock.Instant) -> Deadline {
    guard let instant, let limit, instant < start + limit else { return self }
    var copy = self
    copy.instant = start + limit
    return copy
  }

  /// The deadline of the first of several calls that share the time which is left equally.
  func share(of calls: Int) -> Deadline {
    let now = ContinuousClock.now
    return Deadline(instant: instant.map { $0 > now ? now + ($0 - now) / calls : $0 })
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
